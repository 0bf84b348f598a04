// Which due messages a claim takes: the plan alone, without a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../lane.js'
import type { QueuedMessage } from '../lane-queries.js'
import { type Conditions, planClaim } from './claim-lane.js'

const NOW = new Date('2026-11-15T12:00:00Z')
const SECOND = String(NOW.getTime() / 1000)
const DAY = '2026-11-15'
const CONDITIONS: Conditions = {
  isActive: true,
  isEnded: false,
  limit: 10,
  holdsAtCap: false,
  checksMax: 2,
}

/** A text with this many parts on the wire. The bill counts fewer. */
const bodyOf = (parts: number) => 'x'.repeat(parts === 1 ? 160 : parts * 153)

let made = 0

function message(change: Partial<QueuedMessage> = {}): QueuedMessage {
  made += 1
  return {
    accountId: 'acc_1',
    id: `msg_${made}`,
    campaignId: 'cmp_1',
    type: 'SMS',
    from: '+14152000001',
    to: '+14155550101',
    route: 'att-sms',
    body: 'Hello',
    mediaUrls: [],
    numSegments: 1,
    isReply: false,
    attempts: 0,
    validitySeconds: null,
    expiresAt: null,
    countedDay: null,
    isMediaChecked: false,
    createdAt: NOW,
    dueAt: NOW,
    status: 'QUEUED',
    ...change,
  }
}

function plan(
  due: QueuedMessage[],
  {
    route = 'att-sms' as Route,
    conditions = {} as Partial<Conditions>,
    optedOut = [] as string[],
    slots = {},
  } = {},
) {
  const given = planClaim(
    { route },
    { ...CONDITIONS, ...conditions },
    due,
    new Set(optedOut),
    slots,
    NOW,
  )
  return {
    ...given,
    messages: given.messages.map((m) => m.id),
    toCheck: given.toCheck.map((m) => m.id),
    later: given.later.map((m) => m.id),
    moves: given.moves.map((move) => [move.messageId, move.errorCode]),
  }
}

test('a claim takes messages up to the limit in order, in parts, and counts them only when they leave', () => {
  const due = [
    message({ body: bodyOf(4) }),
    message({ body: bodyOf(5) }),
    message({ body: bodyOf(2) }),
  ]
  const { messages, slots, notBefore, checkAt } = plan(due)
  assert.deepEqual(messages, [due[0]!.id, due[1]!.id])
  assert.deepEqual([slots, notBefore], [{}, null])
  assert.deepEqual(checkAt, new Date(NOW.getTime() + 250), 'what is claimed may not leave')
})

test('a lane at its limit waits until capacity is free again', () => {
  const due = [message({ body: bodyOf(2) })]
  const { messages, notBefore } = plan(due, { slots: { [SECOND]: 9 } })
  assert.deepEqual([messages, notBefore], [[], new Date(NOW.getTime() + 62_000)])
})

test('messages that this process claimed and has not sent count against the next claim', () => {
  const due = [message({ body: bodyOf(2) }), message({ body: bodyOf(2) })]
  const conditions = { reserved: 5 }
  const { messages, notBefore, checkAt } = plan(due, { slots: { [SECOND]: 3 }, conditions })
  assert.deepEqual([messages, notBefore], [[due[0]!.id], null])
  assert.ok(checkAt)
})

test('a small message does not overtake one that waits for the limit', () => {
  const due = [message({ body: bodyOf(9) }), message({ body: bodyOf(2) }), message()]
  assert.deepEqual(plan(due).messages, [due[0]!.id])
})

test('without a limit, everything is sent and nothing is counted', () => {
  const due = [message({ body: bodyOf(9) }), message()]
  const { messages, toCheck, slots, notBefore } = plan(due, {
    route: 'open',
    conditions: { limit: null },
  })
  assert.deepEqual([messages, toCheck], [due.map((m) => m.id), []])
  assert.deepEqual([slots, notBefore], [{}, null])
})

test('an opted-out recipient gets nothing except a keyword reply', () => {
  const due = [message(), message({ isReply: true }), message({ to: '+14155550102' })]
  const route = 'tmo'
  const { messages, moves, slots } = plan(due, { route, optedOut: ['+14155550101'] })
  assert.deepEqual(moves, [[due[0]!.id, 1330]])
  assert.deepEqual(messages, [due[1]!.id, due[2]!.id])
  assert.deepEqual(slots, { [DAY]: 2 })
})

test('all due messages of an inactive campaign fail', () => {
  const due = [message(), message({ isReply: true })]
  const { messages, moves } = plan(due, { conditions: { isActive: false } })
  assert.deepEqual([messages, moves], [[], due.map((m) => [m.id, 1340])])
})

test('over the daily cap, messages fail, or wait until midnight if the campaign holds them', () => {
  const slots = { [DAY]: 9 }
  const due = [message({ body: bodyOf(2) }), message(), message()]
  const failed = plan(due, { route: 'tmo', slots })
  assert.deepEqual(failed.messages, [due[1]!.id])
  assert.deepEqual(failed.moves, [
    [due[0]!.id, 1320],
    [due[2]!.id, 1320],
  ])
  assert.equal(failed.notBefore, null)
  const held = plan(due, { route: 'tmo', slots, conditions: { holdsAtCap: true } })
  assert.deepEqual([held.messages, held.moves], [[], []])
  assert.deepEqual(held.notBefore, new Date('2026-11-16T08:00:00Z'))
})

test('a retry counts toward T-Mobile once a day', () => {
  const today = message({ attempts: 2, countedDay: DAY })
  const yesterday = message({ attempts: 2, countedDay: '2026-11-14' })
  assert.deepEqual(plan([today], { route: 'tmo' }).slots, { [DAY]: 0 })
  assert.deepEqual(plan([yesterday], { route: 'tmo' }).slots, { [DAY]: 1 })
})

test('an expired message uses nothing of a limit', () => {
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)
  const due = [
    message({ createdAt: hoursAgo(4) }),
    message({ createdAt: hoursAgo(3.9) }),
    message({ expiresAt: NOW, attempts: 3 }),
    message({ expiresAt: NOW, status: 'SCHEDULED' }),
  ]
  const { messages, moves, slots } = plan(due, { route: 'tmo' })
  assert.deepEqual(messages, [due[1]!.id])
  assert.deepEqual(moves, [
    [due[0]!.id, 1400],
    [due[2]!.id, 1400],
    [due[3]!.id, null], // queued, since its time came
    [due[3]!.id, 1400],
  ])
  assert.deepEqual(slots, { [DAY]: 1 })
})

test('media is checked before a message uses a limit, a bounded number at a time', () => {
  const mediaUrls = ['http://a.example/a.png']
  const unchecked = [message({ mediaUrls }), message({ mediaUrls }), message({ mediaUrls })]
  const checked = message({ mediaUrls, isMediaChecked: true })
  const ids = unchecked.map((m) => m.id)
  for (const [route, limit, slots] of [
    ['tmo', 10, { [DAY]: 1 }],
    ['open', null, {}],
  ] as const) {
    const given = plan([...unchecked, checked], { route, conditions: { limit } })
    assert.deepEqual(given.toCheck, ids.slice(0, 2))
    assert.deepEqual(given.later, ids.slice(2), 'later messages do not wait for it')
    assert.deepEqual(given.messages, [checked.id])
    assert.deepEqual(given.slots, slots)
  }
})

test('a message that can never fit the limit fails instead of waiting forever', () => {
  const due = [message({ body: bodyOf(11) }), message()]
  const att = plan(due)
  assert.deepEqual([att.moves, att.messages], [[[due[0]!.id, 1375]], [due[1]!.id]])
  const tmo = plan(due, { route: 'tmo', conditions: { holdsAtCap: true } })
  assert.deepEqual([tmo.moves, tmo.messages], [[[due[0]!.id, 1320]], [due[1]!.id]])
})
