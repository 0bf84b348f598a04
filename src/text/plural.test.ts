// Singular and plural of counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plural } from './plural.js'

test('a count of one is singular, and all others are plural', () => {
  assert.equal(plural(0, 'link'), '0 links')
  assert.equal(plural(1, 'link'), '1 link')
  assert.equal(plural(2, 'link'), '2 links')
  assert.equal(plural(1, 'delivery is', 'deliveries are'), '1 delivery is')
  assert.equal(plural(1200, 'delivery is', 'deliveries are'), '1,200 deliveries are')
})
