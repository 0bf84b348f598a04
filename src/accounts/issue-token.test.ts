// When a requested token expires.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExpiry } from './issue-token.js'

const NOW = new Date('2027-05-01T12:00:00.000Z')
const END = new Date('2027-06-01T00:00:00.000Z')
const after = (moment: Date, ms: number) => new Date(moment.getTime() + ms)

test('a token expires in the future, no later than the token that creates it', () => {
  const read = (wanted: Date, ownEnd: Date | null) =>
    readExpiry(wanted.toISOString(), NOW, ownEnd)?.toISOString()
  for (const [wanted, ownEnd] of [
    [after(NOW, 1), null],
    [after(NOW, 1), END],
    [END, END],
    [after(END, 1), null],
  ] as const) {
    assert.equal(read(wanted, ownEnd), wanted.toISOString())
  }
  for (const wanted of [NOW, after(NOW, -1)]) {
    for (const ownEnd of [null, END]) {
      assert.throws(() => read(wanted, ownEnd), {
        code: 'field_invalid',
        message: 'expiresAt must be in the future',
      })
    }
  }
  assert.throws(() => read(after(END, 1), END), {
    message: 'expiresAt must be at most 2027-06-01T00:00:00.000Z, when your token expires',
  })
  assert.throws(() => readExpiry('soon', NOW, null), { message: /^expiresAt must be an ISO 8601/ })
})

test('a token without a requested expiry expires with its creator, or never', () => {
  assert.equal(readExpiry(undefined, NOW, END), END)
  assert.equal(readExpiry(undefined, NOW, null), null)
})
