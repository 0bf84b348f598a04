// What is submitted to the carrier, and what has waited too long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clock } from '../../kit/clock.js'
import { openLog } from '../../kit/log.js'
import type { World } from '../../kit/world.js'
import { type Carrier, permitFor, type Submission, type SubmitAnswer } from '../carrier-port.js'
import { LEASE_MS } from '../lane.js'
import type { QueuedMessage } from '../lane-queries.js'
import { SealedAddresses } from '../media/sealed-address.js'
import { CarrierLink } from './carrier-link.js'
import type { Leased } from './leased.js'
import { SendPermits } from './queue/send-permits.js'
import type { SubmitJournal } from './submit-journal.js'
import { submitTimely } from './submit-messages.js'

const world = { clock: new Clock(), log: openLog('silent') } as World
const SETTINGS = { publicUrl: 'https://ours.test', mediaLinkHours: 24 }
const inMs = (ms: number) => new Date(world.clock.nowMs() + ms)

function linkThatTakesAll(): { carrier: Carrier; taken: string[] } {
  const taken: string[] = []
  const carrier: Carrier = {
    name: 'test',
    networkOf: () => null,
    submit: (submissions) =>
      Promise.all(
        submissions.map(async (submission): Promise<SubmitAnswer> => {
          if ((await permitFor(submission, 'test')) === null) return { kind: 'window_missed' }
          taken.push(submission.id)
          return { kind: 'sent' }
        }),
      ),
    start: async () => {},
    stop: async () => {},
  }
  return { carrier, taken }
}

type Write = SubmitJournal['write']

const permitsOf = (write: Write = async () => true, own = world) =>
  new SendPermits(
    own,
    { write, writeIn: (_, commit) => commit(async () => {}), settle: () => {} },
    { counted: () => {} },
  )

const linkOf = (carrier: Carrier) => ({
  carrier,
  link: new CarrierLink(carrier, world),
  permits: permitsOf(),
  addresses: { open: async () => new SealedAddresses(SETTINGS, Buffer.alloc(32)) },
})

function leased(id: string, change: Partial<Leased>): Leased {
  const message = {
    id,
    attempts: 0,
    expiresAt: inMs(LEASE_MS),
  } as Partial<QueuedMessage> as QueuedMessage
  return {
    ...{ message, leaseUntil: inMs(LEASE_MS), submitBy: null, dueAt: null, isLimited: false },
    ...change,
  }
}

test('an expired or no longer leased message does not reach the carrier', async () => {
  const { carrier, taken } = linkThatTakesAll()
  const batch = [
    leased('fresh', {}),
    leased('expired', { submitBy: inMs(-1) }),
    leased('asleep', { leaseUntil: inMs(1_000) }),
    leased('in time', { submitBy: inMs(60_000) }),
  ]
  const outcomes = await submitTimely(world, linkOf(carrier), batch)
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['sent', 'window_missed', 'window_missed', 'sent'],
  )
  assert.deepEqual(taken, ['fresh', 'in time'])
})

test('a carrier’s delay is used only if it is a valid time', async () => {
  const { carrier } = linkThatTakesAll()
  const given = [5_000, -1, Number.NaN, 'soon', undefined]
  carrier.submit = async () =>
    given.map((retryAfterMs) => ({ kind: 'slow_down', retryAfterMs }) as never)
  const batch = given.map((_, i) => leased(String(i), {}))
  assert.deepEqual(await submitTimely(world, linkOf(carrier), batch), [
    { kind: 'slow_down', retryAfterMs: 5_000 },
    ...Array.from({ length: 4 }, () => ({ kind: 'slow_down' })),
  ])
})

test('a link that is down gets nothing', async () => {
  const { carrier, taken } = linkThatTakesAll()
  let isUp = false
  carrier.isUp = () => isUp
  const deps = linkOf(carrier)
  const { link } = deps
  const submit = () => submitTimely(world, deps, [leased('one', {})])
  assert.deepEqual(await submit(), [{ kind: 'down' }])
  assert.ok(link.isDown)
  assert.deepEqual(taken, [])
  isUp = true
  assert.deepEqual(await submit(), [{ kind: 'sent' }])
  assert.deepEqual([link.isDown, link.downSince], [false, null])
  assert.ok(link.lastOutage)
})

test('leases and submit times count to their last millisecond', async () => {
  const now = new Date('2026-11-15T12:00:00Z')
  const still = { ...world, clock: { now: () => now, nowMs: () => now.getTime() } } as World
  const later = (ms: number) => new Date(now.getTime() + ms)
  const { carrier } = linkThatTakesAll()
  const batch = [
    leased('leased', { leaseUntil: later(15_000) }),
    leased('too close to its end', { leaseUntil: later(14_999) }),
    leased('now', { leaseUntil: later(60_000), submitBy: now }),
    leased('past', { leaseUntil: later(60_000), submitBy: later(-1) }),
  ]
  const permits = permitsOf(async () => true, still)
  const outcomes = await submitTimely(still, { ...linkOf(carrier), permits }, batch)
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['sent', 'window_missed', 'sent', 'window_missed'],
  )
})

test('a carrier gets the whole message and its attempt number', async () => {
  const { carrier } = linkThatTakesAll()
  const given: Submission[] = []
  carrier.submit = async (submissions) => {
    given.push(...submissions)
    return submissions.map(() => ({ kind: 'sent' }))
  }
  const message = {
    accountId: 'acc_1',
    id: 'msg_1',
    campaignId: 'cmp_1',
    type: 'MMS',
    from: '+14152000001',
    to: '+14155550107',
    body: 'Hello',
    mediaUrls: ['http://a.test/a.png'],
    attempts: 2,
    expiresAt: inMs(1),
  } as Partial<QueuedMessage> as QueuedMessage
  await submitTimely(world, linkOf(carrier), [{ ...leased('msg_1', {}), message }])
  const { attempts, ...same } = message
  const [{ requestPermit, ...submission } = {} as Submission] = given
  assert.equal(typeof requestPermit, 'function')
  assert.deepEqual(submission, {
    ...{ ...same, attempt: 3, submitBy: null },
  })
})

test('the outcome is unknown if a link does not respond, throws, or responds with nonsense', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { carrier } = linkThatTakesAll()
  const permit = { hasPermit: true }
  carrier.submit = () => new Promise(() => {})
  const silent = submitTimely(world, linkOf(carrier), [
    leased('one', permit),
    leased('two', permit),
    leased('waiting', {}),
  ])
  let isOver = false
  void silent.finally(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(44_999)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isOver, false)
  t.mock.timers.tick(1)
  const unknown = { kind: 'unknown', detail: 'no answer' }
  assert.deepEqual(await silent, [unknown, unknown, { kind: 'window_missed' }])
  carrier.submit = async () => {
    throw new Error('broken')
  }
  const failed = { kind: 'unknown', detail: 'the link failed' }
  const batch = [leased('one', permit), leased('two', permit)]
  assert.deepEqual(await submitTimely(world, linkOf(carrier), batch), [failed, failed])
  carrier.submit = async () => [{ kind: 'banana' } as never]
  assert.deepEqual(await submitTimely(world, linkOf(carrier), [leased('one', {})]), [
    { kind: 'unknown', detail: 'an unknown kind of response' },
  ])
})

test('a message that cannot be journaled is not submitted', async () => {
  const { carrier, taken } = linkThatTakesAll()
  const permits = permitsOf(async () => {
    throw new Error('the database is down')
  })
  const batch = [leased('one', {}), leased('two', {})]
  const outcomes = await submitTimely(world, { ...linkOf(carrier), permits }, batch)
  assert.deepEqual(outcomes, [{ kind: 'window_missed' }, { kind: 'window_missed' }])
  assert.deepEqual(taken, [])
})

test('a message that was journaled too late does not reach the carrier', async () => {
  const clock = new Clock()
  const { carrier, taken } = linkThatTakesAll()
  const own = { ...world, clock }
  const permits = permitsOf(async () => {
    clock.moveTo(3_000)
    return true
  }, own)
  const batch = [
    leased('minute over', { submitBy: inMs(2_000) }),
    leased('lease over', { leaseUntil: inMs(17_000) }),
    leased('in time', { submitBy: inMs(60_000) }),
  ]
  const outcomes = await submitTimely(own, { ...linkOf(carrier), permits }, batch)
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['window_missed', 'window_missed', 'sent'],
  )
  assert.deepEqual(taken, ['in time'])
})

test('a link that fetches files from us gets our URLs, others get the given ones', async () => {
  const urls: (readonly string[])[] = []
  const carrier: Carrier = {
    ...linkThatTakesAll().carrier,
    submit: async (submissions) => {
      urls.push(...submissions.map(({ mediaUrls }) => mediaUrls))
      return submissions.map(() => ({ kind: 'sent' }))
    },
  }
  const given = { accountId: 'acc_1', mediaUrls: ['http://a.test/a.png'] }
  const batch = [{ ...given, mediaFiles: ['x.0.png', 'y.25000.jpg'] }, given].map((change, i) => {
    const { message, ...rest } = leased(`msg_${i}`, {})
    return { ...rest, message: { ...message, ...change } }
  })
  await submitTimely(world, linkOf(carrier), batch)
  assert.deepEqual(urls[1], given.mediaUrls)
  const own = urls[0]!.map(
    (url) => /^https:\/\/ours\.test\/media\/acc_1\/\d+\/[\w-]{22}\/(.+)$/.exec(url)?.[1],
  )
  assert.deepEqual(own, ['x.0.png', 'y.25000.jpg'])
})
