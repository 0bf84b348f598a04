// How long the body of an event is kept for the other webhooks that get it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentBodies } from './recent-bodies.js'

test('a body is kept for five seconds, whether or not anybody has cleared it away', () => {
  const bodies = new RecentBodies()
  bodies.keep('evt_1', () => 'one', 1_000)
  bodies.keep('evt_2', () => 'two', 2_000)
  assert.equal(bodies.find('evt_1', 5_999)?.({ id: '', campaignId: '', signature: '' }), 'one')
  assert.equal(bodies.find('evt_1', 6_000), undefined)
  bodies.forgetOld(6_000)
  assert.equal(bodies.find('evt_1', 5_999), undefined)
  assert.ok(bodies.find('evt_2', 6_000))
})

test('however many events there are, no more than 2,000 bodies are kept, the youngest', () => {
  const bodies = new RecentBodies()
  for (let i = 0; i < 2_500; i += 1) bodies.keep(`evt_${i}`, () => '', 0)
  bodies.forgetOld(1)
  assert.equal(bodies.find('evt_499', 1), undefined)
  assert.ok(bodies.find('evt_500', 1))
  assert.ok(bodies.find('evt_2499', 1))
})
