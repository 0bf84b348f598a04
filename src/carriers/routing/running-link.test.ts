// One link of a set: when it may be used, what its answers are marked with, and how it ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import type { Carrier, SubmitAnswer } from '../../messages/carrier-port.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import { LinkGate } from './link-gate.js'
import { RunningLink } from './running-link.js'

const FAILBACK_MS = 10_000
const noFault = () => assert.fail('it does not throw')
const NOBODY = {} as Parameters<Carrier['start']>[0]

function open(more: Partial<Carrier> = {}, gate: LinkGate | null = null) {
  const state = { isUp: true, stops: 0 }
  const carrier = {
    name: 'carrier name',
    isUp: () => state.isUp,
    submit: async () => [],
    start: async () => {},
    stop: async () => {
      state.stops += 1
    },
    ...more,
  } as unknown as Carrier
  const settings = { name: 'acme', kind: 'smpp', failbackMs: FAILBACK_MS } as LinkSettings
  return { link: new RunningLink(settings, carrier, gate), state, settings, carrier }
}

function openGate() {
  const pause = { link: 'acme', code: null } as unknown as Parameters<LinkGate['follow']>[0]
  const gate = new LinkGate({
    pause: () => assert.fail('not refused'),
    resume: () => {},
    refusalOf: () => null,
    noteSender: () => {},
  })
  return { gate, pause: () => gate.follow(pause), resume: () => gate.follow(null) }
}

test('a link is down until it has started, and then ready at once', async () => {
  const listeners: unknown[] = []
  const { link } = open({ start: async (listener) => void listeners.push(listener) })
  assert.deepEqual([link.isUp, link.readiness(0)], [false, 'down'])
  await link.start(NOBODY)
  assert.deepEqual(listeners, [NOBODY])
  assert.deepEqual([link.isUp, link.readiness(0)], [true, 'ready'])
  const { link: plain } = open({ isUp: undefined } as unknown as Partial<Carrier>)
  await plain.start(NOBODY)
  assert.equal(plain.readiness(0), 'ready', 'a carrier without a state is up')
})

test('after an outage, a link settles for its failback time, counted from when it was seen up', async () => {
  const { link, state } = open()
  await link.start(NOBODY)
  assert.equal(link.readiness(1_000), 'ready')
  state.isUp = false
  assert.equal(link.readiness(2_000), 'down')
  state.isUp = true
  assert.equal(link.readiness(5_000), 'settling')
  assert.equal(link.readiness(5_000 + FAILBACK_MS - 1), 'settling')
  assert.equal(link.readiness(5_000 + FAILBACK_MS), 'ready')
  state.isUp = false
  link.readiness(40_000)
  state.isUp = true
  assert.equal(link.readiness(41_000), 'settling', 'each outage counts')
})

test('a link that was never up before settles for nothing, however late it comes up', async () => {
  const { link, state } = open()
  state.isUp = false
  await link.start(NOBODY)
  assert.equal(link.readiness(1_000), 'down')
  state.isUp = true
  assert.equal(link.readiness(90_000), 'ready')
})

test('new settings change how long a link settles, and tune it', async () => {
  const { link, state, settings, carrier } = open()
  await link.start(NOBODY)
  link.readiness(0)
  state.isUp = false
  link.readiness(1)
  state.isUp = true
  assert.equal(link.readiness(1_000), 'settling')
  const tuned: unknown[] = []
  const tune = async (one: Carrier) => void tuned.push(one)
  link.follow({ ...settings, failbackMs: 0, tune })
  assert.deepEqual([link.readiness(1_000), tuned], ['ready', [carrier]])
  assert.equal(link.settings.failbackMs, 0)
})

test('a paused link is down although its carrier is up, and ready as soon as it resumes', async () => {
  const { gate, pause, resume } = openGate()
  const { link } = open({}, gate)
  await link.start(NOBODY)
  assert.equal(link.readiness(0), 'ready')
  pause()
  assert.deepEqual([link.readiness(1), link.isUp], ['down', true])
  resume()
  assert.equal(link.readiness(2), 'ready')
})

test('sent and unknown answers name the link, others do not, and a missing answer is unknown', async () => {
  const answers: (SubmitAnswer | undefined)[] = [
    { kind: 'sent', link: 'x', carrierIds: ['1'] },
    { kind: 'unknown', detail: 'cut', link: 'x' },
    { kind: 'slow_down' },
    { kind: 'failed', errorCode: 1350 },
    { kind: 'window_missed' },
    { kind: 'down' },
  ]
  const { link } = open({ submit: async () => answers as SubmitAnswer[] })
  const batch = Array.from({ length: 7 }, () => submission())
  assert.deepEqual(await link.submit(batch, noFault), [
    { kind: 'sent', link: 'acme', carrierIds: ['1'] },
    { kind: 'unknown', detail: 'cut', link: 'acme' },
    ...answers.slice(2),
    { kind: 'unknown', detail: 'the link gave no answer', link: 'acme' },
  ])
})

test('a link that answers that it is down settles again, and another answer changes nothing', async () => {
  let answer: SubmitAnswer = { kind: 'slow_down' }
  const { link } = open({ submit: async () => [answer] })
  await link.start(NOBODY)
  link.readiness(0)
  await link.submit([submission()], noFault)
  assert.equal(link.readiness(1), 'ready')
  answer = { kind: 'down' }
  await link.submit([submission()], noFault)
  assert.equal(link.readiness(2), 'settling')
})

test('a link that throws leaves the outcome unknown and reports the error', async () => {
  const error = new Error('broken')
  const { link } = open({ submit: () => Promise.reject(error) })
  const faults: unknown[] = []
  const answers = await link.submit([submission(), submission()], (one) => faults.push(one))
  const unknown = { kind: 'unknown', detail: 'the link gave no answer', link: 'acme' }
  assert.deepEqual([answers, faults], [[unknown, unknown], [error]])
})

test('a closed link is down, and its close ends when its last batch has its answers', async () => {
  const ends: ((answers: SubmitAnswer[]) => void)[] = []
  const { link } = open({ submit: () => new Promise((resolve) => ends.push(resolve)) })
  await link.start(NOBODY)
  const batches = [1, 2].map(() => link.submit([submission()], noFault))
  assert.equal(link.isClosed, false)
  let isOver = false
  const closing = link.close().then(() => {
    isOver = true
  })
  assert.deepEqual([link.isClosed, link.readiness(0)], [true, 'down'])
  ends[0]!([{ kind: 'sent' }])
  await batches[0]
  await new Promise(setImmediate)
  assert.equal(isOver, false, 'another batch is under way')
  ends[1]!([{ kind: 'sent' }])
  await Promise.all([...batches, closing])
  await link.close()
})

test('a link stops once, for all who ask', async () => {
  const { link, state } = open()
  await Promise.all([link.stop(), link.stop()])
  assert.deepEqual([state.stops, link.isClosed], [1, true])
})

test('its statuses have its own name and kind, whether it is paused, and that it leaves', async () => {
  const status = { link: 'x', kind: 'y', isUp: true, detail: 'slow' }
  const links = (() => [status, status]) as unknown as Carrier['links']
  const { gate, pause } = openGate()
  const { link } = open({ links: links! }, gate)
  const own = { ...status, link: 'acme', kind: 'smpp' }
  assert.deepEqual(link.statuses(), Array(2).fill({ ...own, isPaused: false }))
  pause()
  assert.deepEqual(link.statuses()[0], { ...own, isPaused: true })
  await link.close()
  assert.match(link.statuses()[1]!.detail!, /^leaving: /)
  const { link: unguarded } = open({ links: links! })
  assert.deepEqual(unguarded.statuses()[0], own, 'it cannot be paused')
  assert.deepEqual(open().link.statuses(), [])
})
