// What an event of a changed record says about the change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from './append-changes.js'

test('fields that differ are named, also those that came or went, and the time of the change is not', () => {
  const before = { status: 'A', gone: 1, list: [1, 2], inner: { a: 1 }, none: null, updatedAt: 1 }
  const { gone, ...rest } = before
  const after = { ...rest, list: [1, 3], inner: { a: 1 }, come: 0, updatedAt: 2 }
  assert.deepEqual(differenceOf<{ status: string }>(before, after), {
    changed: ['gone', 'list', 'come'],
  })
  assert.equal(differenceOf(before, { ...before, updatedAt: 2 }), null)
})

test('a new record has no difference to show, an unchanged one no event, a new status its former', () => {
  const before = { status: 'DRAFT', name: 'a' }
  assert.deepEqual(differenceOf(null, before), { changed: [] })
  assert.equal(differenceOf(before, { ...before }), null)
  assert.deepEqual(differenceOf(before, { ...before, name: 'b' }), { changed: ['name'] })
  assert.deepEqual(differenceOf(before, { ...before, status: 'PENDING' }), {
    previousStatus: 'DRAFT',
    changed: ['status'],
  })
})
