// When a link counts as down, when it is tried again, and what is logged.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { World } from '../../kit/world.js'
import type { Carrier, SubmitAnswer } from '../carrier-port.js'
import { CarrierLink } from './carrier-link.js'

const SENT: SubmitAnswer = { kind: 'sent' }
const DOWN: SubmitAnswer = { kind: 'down' }
const LOST = 'carrier link is down: messages wait'
const FOUND = 'carrier link is up again'

function stage(t: TestContext, carrier: Partial<Carrier> = {}) {
  let ms = 1_000
  t.mock.method(performance, 'now', () => ms)
  const logged: string[] = []
  const note = (_: object, text: string) => logged.push(text)
  const clock = { now: () => new Date(ms), nowMs: () => ms }
  const world = { clock, log: { warn: note, info: note } } as unknown as World
  const link = new CarrierLink({ name: 'test', ...carrier } as Carrier, world)
  const seen = () => [link.isDown, link.isAsking, link.downSince?.getTime() ?? null]
  const pass = (more: number) => {
    ms += more
  }
  return { link, logged, seen, pass }
}

test('a link that reports its state is down until it reports up', (t) => {
  let isUp = true
  const { link, logged, seen, pass } = stage(t, { isUp: () => isUp })
  link.look()
  assert.deepEqual([...seen(), logged], [false, false, null, []])
  isUp = false
  link.look()
  pass(60_000)
  link.look()
  assert.deepEqual(seen(), [true, false, 1_000], 'since it was first seen as down')
  assert.deepEqual(logged, [LOST])
  link.learn([SENT])
  assert.deepEqual(seen(), [true, false, 1_000], 'earlier submits prove nothing')
  assert.equal(link.lastOutage, null)
  isUp = true
  pass(500)
  link.look()
  assert.deepEqual(seen(), [false, false, null])
  assert.deepEqual(link.lastOutage, [1_000, 61_500])
  assert.deepEqual(logged, [LOST, FOUND])
})

test('a link that only responds as down is tried with a message after two seconds', (t) => {
  const { link, logged, seen, pass } = stage(t)
  link.learn([SENT])
  assert.deepEqual(seen(), [false, false, null])
  link.learn([SENT, DOWN])
  assert.deepEqual(seen(), [true, false, 1_000])
  pass(1_999)
  link.look()
  link.learn([SENT])
  assert.deepEqual(seen(), [true, false, 1_000], 'not yet')
  pass(1)
  assert.deepEqual(seen(), [false, true, 1_000])
  link.look()
  link.learn([])
  assert.deepEqual(seen(), [false, true, 1_000], 'no response yet')
  link.learn([DOWN])
  assert.deepEqual(seen(), [true, false, 1_000])
  pass(2_000)
  link.learn([{ kind: 'slow_down' }])
  assert.deepEqual(seen(), [false, false, null], 'any other response means that the link is up')
  assert.deepEqual(link.lastOutage, [1_000, 5_000])
  assert.deepEqual(logged, [LOST, FOUND])
  pass(10_000)
  link.look()
  assert.deepEqual(seen(), [false, false, null])
})

test('a link that learns that it is down is not tried anymore', (t) => {
  let isUp = true
  const { link, seen, pass } = stage(t, { isUp: () => isUp })
  link.learn([DOWN])
  isUp = false
  link.look()
  pass(60_000)
  assert.deepEqual(seen(), [true, false, 1_000])
  isUp = true
  link.look()
  assert.deepEqual(seen(), [false, false, null])
})

test('a missing link is not logged again', (t) => {
  const { link, logged, seen } = stage(t, { isAbsent: true, isUp: () => false })
  link.look()
  assert.deepEqual([...seen(), logged], [true, false, 1_000, []])
})
