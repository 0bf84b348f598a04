// What a worker does with a number at its provider, step by step: the requests, how long it waits, and the result. The
// provider is a list of answers, and the test moves the time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { submitRegistration } from '../../src/brands/registration-queries.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { buyNumber } from '../../src/numbers/buy-number.js'
import { deleteNumbers } from '../../src/numbers/number-queries.js'
import { NO_SOURCES, type NumberSource } from '../../src/numbers/number-source.js'
import { provisioningLoop } from '../../src/numbers/provisioning/provisioning-loop.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import {
  later,
  refused,
  SILENT,
  scriptedProvider,
  steppedWorld,
  unknown,
} from './provider-steps.js'

const ONE = '+14152000001'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOT_LISTED = 'The provider did not respond to the order and does not list it yet.'
const DONE = { kind: 'done', numberId: 'n1' }
const NONE = { kind: 'none' }
const PENDING = { kind: 'pending' }

function fakeSource() {
  const provider = scriptedProvider()
  const { method } = provider
  const source = {
    ...{ link: 'upstream', monthlyPriceMicros: 2_000_000n, settleMs: MINUTE_MS },
    ...{ order: method('order', DONE), findOrder: method('findOrder', NONE) },
    ...{ profileOf: (_: string): string | null => null, findProfile: method('findProfile', null) },
    ...{ createProfile: method('createProfile', 'p1'), bind: method('bind', true) },
    ...{ unbind: method('unbind', undefined), forward: method('forward', undefined) },
    release: method('release', true),
  }
  return { ...provider, source }
}

type State = Partial<{
  phase: string
  numberId: string | null
  orderedAgoMs: number
  boughtAgoMs: number
  isForwardingDue: boolean
}>

/** A service without loops: each step is the test’s. */
async function open(t: TestContext) {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const { db } = service.world
  const accountId = service.accountId as AccountId
  const stage = steppedWorld(service)
  const fake = fakeSource()
  const sources = { ...NO_SOURCES, find: () => fake.source as unknown as NumberSource | null }
  const loop = provisioningLoop(stage.world, sources)
  const work = () => loop.step(new AbortController().signal)
  return { ...stage, service, db, accountId, campaignId, fake, sources, loop, work }
}

const OFFER = {
  ...{ link: 'upstream', number: ONE, areaCode: '415', location: 'San Francisco, CA' },
  ...{ monthlyPriceMicros: 2_000_000n, hosts: null },
}

interface Row {
  phase: string
  attempts: number
  error: string | null
  dueAt: Date | null
  since: Date
}

/** A number that was just bought. Its task is in that state, or was not worked on. */
async function bought(opened: Awaited<ReturnType<typeof open>>, state: State = {}) {
  const { service, db, accountId, campaignId, fake, work, now } = opened
  opened.move(1000) // a purchase is named by its time
  await db.transaction((tx) => deleteNumbers(tx, accountId, [ONE]))
  for (const table of ['rented_numbers', 'campaign_profiles']) {
    await db.query(sql`delete from ${raw(table)}`)
  }
  opened.clear()
  fake.answer()
  const before = await service.balance()
  const purchase = { campaignId, phoneNumber: ONE }
  await db.transaction((tx) => buyNumber(tx, accountId, purchase, now(), { offered: OFFER }))
  const [task] = await db.query<{ id: string }>(sql`select id from rented_numbers`)
  fake.aliases.set(task!.id, 'REF').set(campaignId, 'CAMPAIGN').set(ONE, 'ONE')
  const ago = (ms: number | undefined) => (ms === undefined ? null : new Date(now().getTime() - ms))
  await db.query(sql`
    update rented_numbers set since = since - interval '5 ms', phase = coalesce(${state.phase ?? null}, phase),
      number_id = ${state.numberId ?? null}, ordered_at = ${ago(state.orderedAgoMs)},
      is_forwarding_due = ${state.isForwardingDue ?? false},
      purchased_at = coalesce(${ago(state.boughtAgoMs)}, purchased_at)`)
  await db.query(sql`
    update numbers set forward_number = ${state.isForwardingDue ? '+14155550188' : null}`)
  const row = async () => {
    const [found] = await db.query<Row>(sql`
      select phase, attempts, last_error as error, due_at as "dueAt", since from rented_numbers`)
    if (!found) return null
    const { dueAt, since, ...rest } = found
    const inMs = dueAt && dueAt.getTime() - now().getTime()
    return { ...rest, inMs, isNew: since.getTime() === now().getTime() }
  }
  return {
    row,
    /** The requests of one step. */
    step: async () => {
      fake.requests.length = 0
      assert.equal(await work(), 1)
      return [...fake.requests]
    },
    refunded: async () => (await service.balance()) === before,
    number: async () => {
      const { body } = await service.get(`/v1/number/${ONE.slice(1)}`)
      return [body.number.status, body.number.statusReason ?? null]
    },
  }
}

const WAITING = {
  phase: 'order',
  attempts: 1,
  error: null as string | null,
  inMs: 1000,
  isNew: false,
}
const ORDER = 'order ONE p1 REF'
const FIND = 'findOrder ONE REF'
const PROFILE = ['findProfile CAMPAIGN', 'createProfile CAMPAIGN']
const BIND = { ...WAITING, attempts: 0, phase: 'bind', inMs: 0 as number | null, isNew: true }

test('an order that is done is bound at once, and the number sends from then on', async (t) => {
  const opened = await open(t)
  const { loop, work, hinted } = opened
  const { step, row, number, refunded } = await bought(opened)
  assert.deepEqual(
    [loop.name, typeof loop.idleMs === 'function' && loop.idleMs()],
    ['number provisioning', 1000],
  )
  assert.deepEqual(loop.hints, ['numbers', 'forwardings', 'clock'])
  assert.deepEqual(await step(), [...PROFILE, ORDER])
  assert.deepEqual([await row(), hinted], [BIND, ['numbers']])
  assert.deepEqual(await number(), ['PENDING', null])
  opened.move(5)
  assert.deepEqual(await step(), ['bind n1 ONE p1 '])
  assert.deepEqual(await row(), { ...BIND, phase: 'held', inMs: null })
  assert.deepEqual(hinted, ['numbers', 'messages', 'deliveries'])
  assert.deepEqual(await number(), ['ACTIVE', null])
  assert.equal(await work(), 0, 'nothing is due')
  assert.equal(await refunded(), false)
})

/** One step for a task in a state, and what follows from it. */
interface Case {
  is: string
  state?: State
  answers?: Record<string, unknown[]>
  requests: string[]
  row: typeof WAITING | typeof BIND | null
  number?: unknown
  isRefunded?: boolean
}

const RELEASING = { phase: 'release', numberId: 'n1' }
const ORDERED = { orderedAgoMs: MINUTE_MS - 1 }
const CASES: Case[] = [
  {
    is: 'a pending order',
    answers: { order: [PENDING] },
    requests: [...PROFILE, ORDER],
    row: WAITING,
  },
  {
    is: 'an order without a response',
    answers: { order: [unknown()] },
    requests: [...PROFILE, ORDER],
    row: { ...WAITING, error: SILENT },
  },
  {
    is: 'an order that fails at once',
    answers: { order: [{ kind: 'failed', reason: 'x'.repeat(301) }] },
    requests: [...PROFILE, ORDER],
    row: null,
    number: ['FAILED', 'x'.repeat(300)],
    isRefunded: true,
  },
  {
    is: 'an order for later',
    answers: { order: [later('Call 4155550100 or 123456')] },
    requests: [...PROFILE, ORDER],
    row: { ...WAITING, error: 'Call … or 123456' },
  },
  {
    is: 'an order that is refused',
    answers: { order: [refused()] },
    requests: [...PROFILE, ORDER, FIND],
    row: null,
    number: ['FAILED', 'Never.'],
    isRefunded: true,
  },
  {
    is: 'an order that is refused because it is ours',
    answers: { order: [refused()], findOrder: [DONE] },
    requests: [...PROFILE, ORDER, FIND],
    row: BIND,
  },
  {
    is: 'an order that is not listed yet',
    state: ORDERED,
    requests: [FIND],
    row: { ...WAITING, error: NOT_LISTED },
  },
  {
    is: 'an order that is found',
    state: ORDERED,
    answers: { findOrder: [DONE] },
    requests: [FIND],
    row: BIND,
  },
  {
    is: 'an order that should be listed',
    state: { orderedAgoMs: MINUTE_MS },
    requests: [FIND, ...PROFILE, ORDER],
    row: BIND,
  },
  {
    is: 'an order on the last day',
    state: { orderedAgoMs: MINUTE_MS, boughtAgoMs: DAY_MS },
    requests: [FIND, ...PROFILE, ORDER],
    row: BIND,
  },
  {
    is: 'an order after a day',
    state: { orderedAgoMs: MINUTE_MS, boughtAgoMs: DAY_MS + 1 },
    requests: [FIND],
    row: null,
    number: ['FAILED', 'The provider has no order for the number.'],
    isRefunded: true,
  },
  {
    is: 'a binding in progress',
    state: { phase: 'bind', numberId: 'n1' },
    answers: { bind: [false] },
    requests: [...PROFILE, 'bind n1 ONE p1 '],
    row: { ...WAITING, phase: 'bind' },
  },
  {
    is: 'a binding that is refused',
    state: { phase: 'bind', numberId: 'n1' },
    answers: { bind: [refused()] },
    requests: [...PROFILE, 'bind n1 ONE p1 '],
    row: { ...BIND, phase: 'release' },
    number: ['FAILED', 'Never.'],
    isRefunded: true,
  },
  {
    is: 'a binding for later',
    state: { phase: 'bind', numberId: 'n1' },
    answers: { bind: [later()] },
    requests: [...PROFILE, 'bind n1 ONE p1 '],
    row: { ...WAITING, phase: 'bind', error: 'Try later.' },
  },
  {
    is: 'a move that is refused',
    state: { phase: 'move', numberId: 'n1' },
    answers: { bind: [refused()] },
    requests: [...PROFILE, 'bind n1 ONE p1 '],
    row: { ...WAITING, phase: 'move', error: 'Never.' },
  },
  {
    is: 'a change of forwarding',
    state: { phase: 'held', numberId: 'n1', isForwardingDue: true },
    requests: ['forward n1 ONE +14155550188'],
    row: { ...BIND, phase: 'held', inMs: null, isNew: false },
  },
  {
    is: 'nothing to forward',
    state: { phase: 'held', numberId: 'n1' },
    requests: [],
    row: { ...BIND, phase: 'held', inMs: null, isNew: false },
  },
  {
    is: 'a release before any order',
    state: { phase: 'release' },
    requests: [],
    row: null,
    isRefunded: true,
  },
  { is: 'a release', state: RELEASING, requests: ['release n1 ONE'], row: null },
  {
    is: 'a release in progress',
    state: RELEASING,
    answers: { release: [false] },
    requests: ['release n1 ONE'],
    row: { ...WAITING, phase: 'release' },
  },
  {
    is: 'a release that is refused',
    state: RELEASING,
    answers: { release: [refused()] },
    requests: ['release n1 ONE'],
    row: { ...WAITING, phase: 'release', error: 'Never.' },
  },
  {
    is: 'a release of what may still be ordered',
    state: { phase: 'release', ...ORDERED },
    requests: [FIND],
    row: { ...WAITING, phase: 'release' },
  },
  {
    is: 'a release of what was never ordered',
    state: { phase: 'release', orderedAgoMs: MINUTE_MS },
    requests: [FIND],
    row: null,
    isRefunded: true,
  },
  {
    is: 'a release of a pending order',
    state: { phase: 'release', orderedAgoMs: MINUTE_MS },
    answers: { findOrder: [PENDING] },
    requests: [FIND],
    row: { ...WAITING, phase: 'release' },
  },
  {
    is: 'a release of a failed order',
    state: { phase: 'release', ...ORDERED },
    answers: { findOrder: [{ kind: 'failed', reason: 'No.' }] },
    requests: [FIND],
    row: null,
    isRefunded: true,
  },
  {
    is: 'a release of a late order',
    state: { phase: 'release', ...ORDERED },
    answers: { findOrder: [DONE] },
    requests: [FIND, 'release n1 ONE'],
    row: null,
  },
  {
    is: 'a profile that another process left',
    answers: { findProfile: ['p1'] },
    requests: [PROFILE[0]!, ORDER],
    row: BIND,
  },
  {
    is: 'a profile that is refused',
    answers: { createProfile: [refused()] },
    requests: PROFILE,
    row: { ...WAITING, error: 'Never.' },
  },
]

test('each step at a provider: the requests, what is recorded, and what the customer sees', async (t) => {
  const opened = await open(t)
  for (const { is, state, answers, requests, row, number, isRefunded = false } of CASES) {
    const task = await bought(opened, state)
    opened.fake.answer(answers)
    assert.deepEqual(await task.step(), requests, is)
    assert.deepEqual(await task.row(), row, is)
    assert.deepEqual(await task.number(), number ?? ['PENDING', null], is)
    assert.equal(await task.refunded(), isRefunded, is)
    const { hinted, logged } = opened
    if (row?.inMs) assert.deepEqual(hinted, [['numbers', row.inMs]], is)
    const texts = logged.map(([{ detail }, text]) => [detail, text])
    const isFault = row?.error && ![SILENT, NOT_LISTED].includes(row.error)
    if (isFault) assert.deepEqual(texts, [[row.error, 'a number waits for its provider']], is)
    else {
      const said = number ? [[undefined, 'a number was not available: refunded']] : []
      assert.deepEqual(texts, said, is)
    }
  }
})

test('a number waits longer after each attempt: up to a minute for an order, up to five after a fault', async (t) => {
  const opened = await open(t)
  const { step, row } = await bought(opened)
  const { answer } = opened.fake
  const waits = async (count: number) => {
    const found: number[] = []
    for (let i = 0; i < count; i += 1) {
      await step()
      const { inMs } = (await row())!
      found.push(inMs! / 1000)
      opened.move(inMs!)
    }
    return found
  }
  answer({ order: Array.from({ length: 11 }, () => later()) })
  assert.deepEqual(await waits(11), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  answer({ order: [PENDING], findOrder: [PENDING, PENDING] })
  assert.deepEqual(await waits(2), [60, 60])
  assert.equal((await row())!.attempts, 13)
})

test('a profile is created once, and again only if it certainly was not or is overdue', async (t) => {
  const opened = await open(t)
  const { step, row, number } = await bought(opened)
  const { answer } = opened.fake
  answer({ createProfile: [unknown()] })
  assert.deepEqual(await step(), PROFILE)
  assert.deepEqual(await row(), { ...WAITING, error: SILENT })
  opened.move(1000)
  assert.deepEqual(await step(), [PROFILE[0]], 'it may exist')
  assert.equal((await row())!.error, 'The messaging profile of the campaign is being created.')
  opened.move(MINUTE_MS - 1000)
  answer({ createProfile: [refused(), 'p2'], order: [PENDING] })
  assert.deepEqual(await step(), PROFILE, 'it is overdue')
  opened.move(4000)
  assert.deepEqual(await step(), [...PROFILE, 'order ONE p2 REF'], 'it was refused')
  assert.deepEqual(await number(), ['PENDING', null])
})

test('a number of a campaign with a fixed profile leaves its previous one, and is bound to the registration there', async (t) => {
  const opened = await open(t)
  const { db, accountId, campaignId: recordId, fake, now } = opened
  const places: Record<string, string> = { [recordId]: 'NEW', old: 'OLD', same: 'NEW' }
  fake.source.profileOf = (id) => places[id]!
  for (const [from, link, requests] of [
    ['old', 'other', ['unbind n1 ONE OLD', 'bind n1 ONE NEW ']],
    ['same', 'upstream', ['bind n1 ONE NEW THERE']],
  ] as const) {
    const { step } = await bought(opened, { phase: 'move', numberId: 'n1' })
    await db.query(sql`update rented_numbers set campaign_id = ${from}`)
    const key = { accountId, recordId, kind: 'campaign' as const, link, now: now() }
    await db.query(sql`delete from registrations`)
    await db.transaction((tx) => submitRegistration(tx, key))
    await db.query(sql`update registrations set provider_id = 'THERE', due_at = null`)
    assert.deepEqual(await step(), requests)
    const [row] = await db.query<{ id: string }>(sql`select campaign_id as id from rented_numbers`)
    assert.equal(row?.id, recordId)
  }
})

test('a number without a link waits, and another process takes it over once its worker is dead', async (t) => {
  const opened = await open(t)
  const { sources, logged, work, move, fake } = opened
  const { step, row } = await bought(opened)
  const { find } = sources
  sources.find = () => null
  assert.deepEqual(await step(), [])
  const detail = 'No carrier link upstream with numbers is set up.'
  assert.deepEqual([(await row())!.error, logged[0]?.[0].detail], [detail, detail])
  sources.find = find
  move(999)
  assert.equal(await work(), 0, 'not due yet')
  move(1)
  let end = (_: unknown) => {}
  fake.answer({ order: [new Promise((resolve) => (end = resolve))], findOrder: [DONE] })
  const working = work()
  await eventually(async () => fake.requests.some((one) => one === ORDER), 'the order leaves')
  move(5_999)
  assert.equal(await work(), 0, 'its worker may be alive')
  move(1)
  assert.deepEqual(await step(), [FIND], 'it is dead')
  end({ kind: 'failed', reason: 'Too late.' })
  assert.equal(await working, 1)
  assert.equal((await row())!.phase, 'bind', 'what the dead one finds out does not count')
})
