// Tests the log check that all tests use: it notices every secret in a line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchLog } from './log-watch.js'

const SENT = {
  to: '+14155550101',
  body: 'Your code is\n"4711" é',
  metadata: { order: 'Order 17' },
  mediaUrls: ['https://media.invalid/a.png?key=k1'],
}
const GOT = { webhook: { signature: 'a signature of the contract' } }

const LEAKS: [what: string, fields: object, text?: string][] = [
  ['an access token', { seen: 'lc_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG' }],
  ['an operator token', { seen: 'lco_the-token-of-the-environment' }],
  ['any bearer', { headers: 'Bearer abc' }],
  ['the secret of a webhook', { seen: 'whsec_abc' }],
  ['a standard signature', { seen: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' }],
  ['the password of the database', { err: new Error('no way to postgres://ana:s3cret@db/x') }],
  ['a number in an address', { url: '/v1/optout/%2B442079460000' }],
  ['a number in a sentence', {}, 'to +442079460000'],
  ['a number of this test without its +', { peer: '14155550101' }],
  ['a text of this test', { message: SENT.body }],
  ['a text of this test in a sentence', {}, `sent ${SENT.body}`],
  ['a text of this test in an error', { err: new Error(`bad: ${SENT.body}`) }],
  ['metadata', { more: { order: 'Order 17' } }],
  ['an address with a key', { from: SENT.mediaUrls[0] }],
  ['the signature of a webhook', { seen: GOT.webhook.signature }],
]

test('the log check finds a secret, a phone number, or a message text at any level', () => {
  for (const level of ['debug', 'info', 'error'] as const) {
    for (const [what, fields, text = 'said'] of LEAKS) {
      const watch = watchLog('silent')
      watch.note(SENT)
      watch.note(GOT)
      watch.log[level](fields, text)
      assert.equal(watch.leaks().length, 1, `${what} at level ${level}`)
    }
  }
})

test('ids, routes, times, and ordinary words are not secrets', () => {
  const watch = watchLog('silent')
  watch.note({ ...SENT, metadata: { kind: 'request' } })
  watch.log.debug(
    { requestId: 'req_0123456789ab0000001', method: 'POST', route: '/v1/message/send', ms: 1.5 },
    'request',
  )
  watch.log.warn({ webhook: 'whk_1', account: 'acc_1', err: new Error('no route') }, 'try failed')
  assert.deepEqual(watch.leaks(), [])
})
