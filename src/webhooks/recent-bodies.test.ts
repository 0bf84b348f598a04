// How long the text of an event is kept for the other webhooks that get it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentBodies } from './recent-bodies.js'

test('a text is kept for five seconds', () => {
  const bodies = new RecentBodies()
  bodies.keep('evt_1', () => 'one', 1_000)
  bodies.keep('evt_2', () => 'two', 2_000)
  bodies.forgetOld(5_999)
  assert.equal(bodies.find('evt_1')?.({ id: '', campaignId: '', signature: '' }), 'one')
  bodies.forgetOld(6_000)
  assert.equal(bodies.find('evt_1'), undefined)
  assert.ok(bodies.find('evt_2'))
})

test('however many events there are, no more than 2,000 texts are kept, the youngest', () => {
  const bodies = new RecentBodies()
  for (let i = 0; i < 2_500; i += 1) bodies.keep(`evt_${i}`, () => '', 0)
  bodies.forgetOld(1)
  assert.equal(bodies.find('evt_499'), undefined)
  assert.ok(bodies.find('evt_500'))
  assert.ok(bodies.find('evt_2499'))
})
