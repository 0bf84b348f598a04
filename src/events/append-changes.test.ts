// What the event of a changed record contains.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from './append-changes.js'

test('changed, added, and removed fields are listed, but not the time of the change', () => {
  const before = { status: 'A', gone: 1, list: [1, 2], inner: { a: 1 }, none: null, updatedAt: 1 }
  const { gone, ...rest } = before
  const after = { ...rest, list: [1, 3], inner: { a: 1 }, come: 0, updatedAt: 2 }
  assert.deepEqual(differenceOf<{ status: string }>(before, after), {
    changed: ['gone', 'list', 'come'],
  })
  assert.equal(differenceOf(before, { ...before, updatedAt: 2 }), null)
})

test('a new record has no changed fields, an unchanged one gets no event, and a status change shows the previous status', () => {
  const before = { status: 'DRAFT', name: 'a' }
  assert.deepEqual(differenceOf(null, before), { changed: [] })
  assert.equal(differenceOf(before, { ...before }), null)
  assert.deepEqual(differenceOf(before, { ...before, name: 'b' }), { changed: ['name'] })
  assert.deepEqual(differenceOf(before, { ...before, status: 'PENDING' }), {
    previousStatus: 'DRAFT',
    changed: ['status'],
  })
})
