// What a worker does with a brand or a campaign at the provider that registers it, step by step: the requests, what is
// recorded, and what the customer sees.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { createBrand } from '../../src/brands/create-brand.js'
import { decideBrand } from '../../src/brands/decide-brand.js'
import { submitRegistration } from '../../src/brands/registration-queries.js'
import { createCampaign } from '../../src/campaigns/create-campaign.js'
import type { Registrar } from '../../src/campaigns/registration/registrar.js'
import { registrationLoop } from '../../src/campaigns/registration/registration-loop.js'
import { digestOf } from '../../src/campaigns/registration/settle-registration.js'
import { decideCampaign } from '../../src/campaigns/review/decide-campaign.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { BRAND, CAMPAIGN } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import { later, refused, scriptedProvider, steppedWorld, unknown } from './provider-steps.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const NOTES = [{ field: 'ein', note: 'Wrong.' }]
const SECOND = { kind: 'refused', notes: NOTES }

async function open(t: TestContext) {
  const service = await testService(t, { balance: '10000' })
  const stage = steppedWorld(service)
  const provider = scriptedProvider()
  const { method } = provider
  const registrar = {
    ...{ link: 'upstream', vertical: null, settleMs: MINUTE_MS },
    ...{ createBrand: method('createBrand', 'B1'), findBrand: method('findBrand', null) },
    ...{ reviseBrand: method('reviseBrand', undefined), readBrand: method('readBrand', PENDING) },
    ...{
      createCampaign: method('createCampaign', 'C1'),
      findCampaign: method('findCampaign', null),
    },
    ...{
      reviseCampaign: method('reviseCampaign', true),
      endCampaign: method('endCampaign', undefined),
    },
    readCampaign: method('readCampaign', PENDING),
    readNetworks: method('readNetworks', { limits: {}, uncarried: [] }),
  }
  const registrars = { current: () => null, find: (): Registrar | null => registrar as never }
  const loop = registrationLoop(stage.world, registrars, async () => {})
  const work = () => loop.step(new AbortController().signal)
  const accountId = service.accountId as AccountId
  return { ...stage, service, provider, registrars, accountId, db: service.world.db, loop, work }
}

interface State {
  kind?: 'brand' | 'campaign'
  state?: string
  providerId?: string
  postedAgoMs?: number
  notes?: object
  /** Of a campaign: the state of its brand’s registration, and whether we have verified the brand. */
  brandState?: string
  isUnverified?: boolean
  /** Our own status of the campaign, if it is not PENDING. */
  status?: 'ACTIVE' | 'SUSPENDED' | 'DRAFT'
  isMissing?: boolean
}

const PENDING = { kind: 'pending' }

/** A record whose registration is due in that state. */
async function submitted(opened: Awaited<ReturnType<typeof open>>, given: State = {}) {
  const { db, accountId, provider, now, work } = opened
  opened.clear()
  provider.answer()
  const kind = given.kind ?? 'brand'
  const isVerified = kind === 'campaign' && !given.isUnverified
  const ids = await db.transaction(async (tx) => {
    await tx.query(sql`delete from registrations`)
    const brand = await createBrand(tx, accountId, BRAND, now())
    if (isVerified) await decideBrand(tx, accountId, brand.id, { kind: 'verify' }, now())
    const input = { ...CAMPAIGN, brandId: brand.id }
    const { campaign } = await createCampaign(tx, accountId, input, now())
    const decisions = {
      ...{ DRAFT: [{ kind: 'return', notes: NOTES }], ACTIVE: [{ kind: 'approve' }] },
      SUSPENDED: [{ kind: 'approve' }, { kind: 'suspend', reason: 'registry' }],
    } as const
    for (const decision of given.status ? decisions[given.status] : []) {
      await decideCampaign(tx, accountId, campaign.id, decision as { kind: 'approve' }, now())
    }
    for (const [recordId, one] of [
      [brand.id, 'brand'],
      [campaign.id, 'campaign'],
    ] as const) {
      const key = { accountId, recordId, kind: one, link: 'upstream', now: now() }
      await submitRegistration(tx, key)
    }
    return { brand: brand.id, campaign: campaign.id }
  })
  const recordId = given.isMissing ? 'gone' : ids[kind]
  const ago = (ms: number | undefined) => (ms === undefined ? null : new Date(now().getTime() - ms))
  await db.query(sql`
    update registrations set state = ${given.brandState ?? 'registered'}, provider_id = 'B1', due_at = null
    where record_id = ${ids.brand}`)
  await db.query(sql`
    update registrations set record_id = ${recordId}, state = ${given.state ?? 'submit'}, reference = 'REF',
      provider_id = ${given.providerId ?? null}, posted_at = ${ago(given.postedAgoMs)}, due_at = ${now()},
      since = ${ago(5)}, said = ${given.notes ? digestOf(given.notes as typeof NOTES) : null}
    where record_id = ${ids[kind]}`)
  await db.query(sql`
    update registrations set due_at = null where record_id <> ${recordId}`)
  provider.aliases.set(ids.brand, 'BRAND').set(ids.campaign, 'CAMPAIGN')
  return {
    ids,
    /** In short: what the registration waits for, and what it knows. */
    row: async () => {
      const [found] = await db.query<Row>(sql`
        select state, attempts, due_at as due, since, posted_at as posted, provider_id as id, reference,
          last_error as error, failing_since as failing, networks
        from registrations where record_id = ${recordId}`)
      if (!found) return null
      const isNow = (time: Date | null) => time?.getTime() === now().getTime()
      const { state, attempts, due, id, error, reference, networks } = found
      return [
        `${state} ${due && due.getTime() - now().getTime()} #${attempts}`,
        isNow(found.since) && 'new',
        isNow(found.posted) && 'posted',
        ...[id, reference !== 'REF' && reference, networks],
        error && `${error}${isNow(found.failing) ? '' : ' (before)'}`,
      ]
        .filter(Boolean)
        .join(', ')
    },
    step: async () => {
      provider.requests.length = 0
      assert.equal(await work(), 1)
      return [...provider.requests]
    },
    status: async () => {
      const { body } = await opened.service.get(`/v1/${kind}/${ids[kind]}`)
      const { status, trustScore, reviewNotes } = body[kind]
      return [status, trustScore, reviewNotes[0]?.field].filter(Boolean).join(' ')
    },
  }
}

interface Row {
  state: string
  attempts: number
  due: Date | null
  since: Date
  posted: Date | null
  id: string | null
  reference: string
  error: string | null
  failing: Date | null
  networks: string | null
}

interface Case extends State {
  is: string
  answers?: Record<string, unknown[]>
  requests?: string[]
  row: string | null
  now?: string
}

const CREATE = 'createBrand BRAND REF'
const FIND = 'findBrand BRAND REF'
const REVIEW = { state: 'review', providerId: 'B1', postedAgoMs: 1, requests: ['readBrand B1'] }
const THERE = { ...REVIEW, state: 'registered' }
const NO_LONGER = 'The registry no longer verifies the brand. Ask the provider why.'
const BRANDS: Case[] = [
  { is: 'new', requests: [CREATE], row: 'review 0 #0, new, posted, B1' },
  {
    is: 'silence',
    answers: { createBrand: [unknown()] },
    requests: [CREATE],
    row: 'submit 1000 #1, posted',
  },
  {
    is: 'later',
    answers: { createBrand: [later('Call 4155550100')] },
    requests: [CREATE],
    row: 'submit 1000 #1, Call …',
  },
  {
    is: 'refused',
    answers: { createBrand: [refused('No.', NOTES)] },
    requests: [CREATE, FIND],
    row: 'returned null #0, new',
    now: 'UNVERIFIED ein',
  },
  {
    is: 'refused and there',
    answers: { createBrand: [refused()], findBrand: ['B2'] },
    requests: [CREATE, FIND],
    row: 'review 0 #0, new, posted, B2',
  },
  { is: 'not found yet', postedAgoMs: MINUTE_MS - 1, requests: [FIND], row: 'submit 1000 #1' },
  {
    is: 'not found',
    postedAgoMs: MINUTE_MS,
    requests: [FIND, CREATE],
    row: 'review 0 #0, new, posted, B1',
  },
  {
    is: 'found',
    postedAgoMs: 1,
    answers: { findBrand: ['B2'] },
    requests: [FIND],
    row: 'review 0 #0, new, B2',
  },
  {
    is: 'corrected',
    providerId: 'B1',
    postedAgoMs: 1,
    requests: ['reviseBrand B1 BRAND REF'],
    row: 'review 0 #0, new, posted, B1',
  },
  {
    is: 'correction refused',
    providerId: 'B1',
    answers: { reviseBrand: [refused('', NOTES)] },
    requests: ['reviseBrand B1 BRAND REF'],
    row: 'returned null #0, new, B1',
    now: 'UNVERIFIED ein',
  },
  { is: 'in review', ...REVIEW, row: 'review 1000 #1, B1' },
  {
    is: 'unverified',
    ...REVIEW,
    postedAgoMs: DAY_MS - 1,
    answers: { readBrand: [{ kind: 'unverified' }] },
    row: 'review 1000 #1, B1',
  },
  {
    is: 'unverified for a day',
    ...REVIEW,
    postedAgoMs: DAY_MS,
    answers: { readBrand: [{ kind: 'unverified' }] },
    row: 'returned null #0, new, B1',
    now: 'UNVERIFIED ein',
  },
  {
    is: 'refused by the registry',
    ...REVIEW,
    answers: { readBrand: [SECOND] },
    row: 'returned null #0, new, B1',
    now: 'UNVERIFIED ein',
  },
  {
    is: 'an old refusal',
    ...REVIEW,
    notes: NOTES,
    postedAgoMs: HOUR_MS - 1,
    answers: { readBrand: [SECOND] },
    row: 'review 1000 #1, B1',
  },
  {
    is: 'the same refusal',
    ...REVIEW,
    notes: NOTES,
    postedAgoMs: HOUR_MS,
    answers: { readBrand: [SECOND] },
    row: 'returned null #0, new, B1',
    now: 'UNVERIFIED ein',
  },
  {
    is: 'verified',
    ...REVIEW,
    answers: { readBrand: [{ kind: 'verified' }] },
    row: `registered ${DAY_MS} #0, new, B1`,
    now: 'VERIFIED',
  },
  {
    is: 'vetted',
    ...REVIEW,
    answers: { readBrand: [{ kind: 'vetted', trustScore: 70 }] },
    row: `registered ${DAY_MS} #0, new, B1`,
    now: 'VETTED 70',
  },
  {
    is: 'vetted without a score',
    ...REVIEW,
    answers: { readBrand: [{ kind: 'vetted', trustScore: null }] },
    row: `registered ${DAY_MS} #0, new, B1`,
    now: 'VERIFIED',
  },
  { is: 'checked', ...THERE, row: `registered ${DAY_MS} #0, B1` },
  {
    is: 'no longer verified',
    ...THERE,
    answers: { readBrand: [{ kind: 'unverified' }] },
    row: `registered 1000 #1, B1, ${NO_LONGER}`,
  },
  {
    is: 'refused later',
    ...THERE,
    answers: { readBrand: [SECOND] },
    row: `registered 1000 #1, B1, ${NO_LONGER}`,
  },
  { is: 'deleted', isMissing: true, row: null },
]

const MAKE = 'createCampaign BRAND B1 CAMPAIGN REF'
const REVISE = 'reviseCampaign C1 BRAND B1 CAMPAIGN REF'
const ASKED = { state: 'review', providerId: 'C1', postedAgoMs: 1, requests: ['readCampaign C1'] }
const READY = { ...ASKED, state: 'registered', status: 'ACTIVE' as const }
const HALTED = { ...ASKED, state: 'suspended', status: 'SUSPENDED' as const }
const NETWORKS = { limits: {}, uncarried: ['A: REVIEW', 'B: NO'] }
const APPROVED = [{ kind: 'approved' }]
const RETURNED = [{ kind: 'returned', notes: NOTES }]
const BOTH = ['readCampaign C1', 'readNetworks C1']
const RESTS = `${DAY_MS} #0`
const CAMPAIGNS: Case[] = [
  { is: 'new', requests: [MAKE], row: 'review 0 #0, new, posted, C1' },
  {
    is: 'silence',
    answers: { createCampaign: [unknown()] },
    requests: [MAKE],
    row: 'submit 1000 #1, posted',
  },
  {
    is: 'refused',
    answers: { createCampaign: [refused('', NOTES)] },
    requests: [MAKE, 'findCampaign BRAND B1 CAMPAIGN REF'],
    row: 'returned null #0, new',
    now: 'DRAFT ein',
  },
  { is: 'waits for its brand', brandState: 'review', row: 'submit 1000 #1' },
  {
    is: 'its brand is refused',
    brandState: 'returned',
    row: 'returned null #0, new',
    now: 'DRAFT brandId',
  },
  {
    is: 'its brand is corrected',
    brandState: 'returned',
    isUnverified: true,
    row: 'submit 1000 #1',
  },
  { is: 'returned by an operator', status: 'DRAFT', row: 'returned null #0, new' },
  { is: 'corrected', providerId: 'C1', requests: [REVISE], row: 'review 0 #0, new, posted, C1' },
  {
    is: 'too different',
    providerId: 'C1',
    answers: { reviseCampaign: [false], createCampaign: ['C2'] },
    requests: [REVISE, 'endCampaign C1', `${MAKE}-2`],
    row: 'review 0 #0, new, posted, C2, REF-2',
  },
  { is: 'in review', ...ASKED, row: 'review 1000 #1, C1' },
  {
    is: 'stuck',
    ...ASKED,
    answers: { readCampaign: [{ kind: 'stuck', detail: 'Pay.' }] },
    row: 'review 1000 #1, C1, Pay.',
  },
  {
    is: 'suspended too early',
    ...ASKED,
    answers: { readCampaign: [{ kind: 'suspended' }] },
    row: 'review 1000 #1, C1, The registry has suspended the campaign.',
  },
  {
    is: 'approved',
    ...ASKED,
    answers: { readCampaign: APPROVED },
    requests: BOTH,
    row: `registered ${RESTS}, new, C1`,
    now: 'ACTIVE',
  },
  {
    is: 'approved in part',
    ...ASKED,
    answers: { readCampaign: APPROVED, readNetworks: [NETWORKS] },
    requests: BOTH,
    row: `registered ${RESTS}, new, C1, A: REVIEW, B: NO`,
    now: 'ACTIVE',
  },
  {
    is: 'returned',
    ...ASKED,
    answers: { readCampaign: RETURNED },
    row: 'returned null #0, new, C1',
    now: 'DRAFT ein',
  },
  {
    is: 'an old return',
    ...ASKED,
    notes: NOTES,
    postedAgoMs: 10 * MINUTE_MS - 1,
    answers: { readCampaign: RETURNED },
    row: 'review 1000 #1, C1',
  },
  {
    is: 'the same return',
    ...ASKED,
    notes: NOTES,
    postedAgoMs: 10 * MINUTE_MS,
    answers: { readCampaign: RETURNED },
    row: 'returned null #0, new, C1',
    now: 'DRAFT ein',
  },
  { is: 'reviewed again', ...READY, row: `registered ${RESTS}, C1` },
  {
    is: 'checked',
    ...READY,
    answers: { readCampaign: APPROVED },
    requests: BOTH,
    row: `registered ${RESTS}, C1`,
  },
  {
    is: 'suspended',
    ...READY,
    answers: { readCampaign: [{ kind: 'suspended' }] },
    row: `suspended ${RESTS}, new, C1`,
    now: 'SUSPENDED',
  },
  {
    is: 'returned later',
    ...READY,
    answers: { readCampaign: RETURNED },
    row: `suspended ${RESTS}, new, C1`,
    now: 'SUSPENDED',
  },
  {
    is: 'still suspended',
    ...HALTED,
    answers: { readCampaign: [{ kind: 'suspended' }] },
    row: `suspended ${RESTS}, C1`,
  },
  {
    is: 'resumed',
    ...HALTED,
    answers: { readCampaign: APPROVED },
    requests: BOTH,
    row: `registered ${RESTS}, new, C1`,
    now: 'ACTIVE',
  },
  { is: 'ended', state: 'end', providerId: 'C1', requests: ['endCampaign C1'], row: null },
  { is: 'ended before it was there', state: 'end', row: null },
  {
    is: 'ended after silence',
    state: 'end',
    postedAgoMs: 1,
    answers: { findCampaign: ['C2'] },
    requests: ['findCampaign B1 REF', 'endCampaign C2'],
    row: null,
  },
  { is: 'deleted', isMissing: true, row: null },
  {
    is: 'deleted after it was there',
    isMissing: true,
    providerId: 'C1',
    postedAgoMs: 1,
    row: 'end 0 #0, new, C1',
  },
]

for (const [kind, cases] of [
  ['brand', BRANDS],
  ['campaign', CAMPAIGNS],
] as const) {
  test(`each step of registering a ${kind}: the requests, what is recorded, and what the customer sees`, async (t) => {
    const opened = await open(t)
    const { hinted, logged } = opened
    for (const { is, answers, requests = [], row, now, ...state } of cases) {
      const task = await submitted(opened, { ...state, kind })
      const before = await task.status()
      opened.provider.answer(answers)
      assert.deepEqual(await task.step(), requests, is)
      assert.equal(await task.row(), row, is)
      assert.equal(await task.status(), now ?? before, is)
      const isWaiting = row?.includes(' 1000 #1')
      if (isWaiting) assert.deepEqual(hinted, [['reviews', 1000]], is)
      if (now) assert.deepEqual(hinted, ['reviews', 'messages', 'deliveries'], is)
      const texts = logged.map(([{ detail }, text]) => detail ?? text)
      const error = isWaiting ? row!.split(/, (?=[A-Z][a-z])/)[1] : undefined
      const suspended = now === 'SUSPENDED' && 'the registry has suspended a campaign'
      const uncarried = row?.includes('A: ') && 'not every network carries a campaign'
      assert.deepEqual(texts, [error, suspended, uncarried].filter(Boolean), is)
    }
  })
}

test('a registration is polled less often after each poll, up to a quarter of an hour, and five minutes after faults', async (t) => {
  const opened = await open(t)
  assert.deepEqual([opened.loop.name, opened.loop.hints], ['registrations', ['reviews', 'clock']])
  for (const [answer, seconds] of [
    [PENDING, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]],
    [later(), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]],
  ] as const) {
    const { step, row } = await submitted(opened, REVIEW)
    opened.provider.answer({ readBrand: seconds.map(() => answer) })
    for (const [i, delay] of seconds.entries()) {
      await step()
      const [state] = (await row())!.split(',')
      assert.equal(state, `review ${delay * 1000} #${i + 1}`)
      opened.move(delay * 1000)
    }
  }
  assert.match((await submitted(opened, REVIEW).then(({ row }) => row()))!, /^review 0 #0/)
})

test('a record without a provider waits, and a dead worker’s result does not count', async (t) => {
  const opened = await open(t)
  const { registrars, move, work, provider } = opened
  const { step, row, status } = await submitted(opened, REVIEW)
  const { find } = registrars
  registrars.find = () => null
  assert.deepEqual(await step(), [])
  assert.equal(await row(), 'review 1000 #1, B1, The link upstream is not set up for registration.')
  registrars.find = find
  move(999)
  assert.equal(await work(), 0, 'not due yet')
  move(1)
  let end = (_: unknown) => {}
  provider.answer({ readBrand: [new Promise((resolve) => (end = resolve)), PENDING] })
  const working = work()
  await eventually(async () => provider.requests.length > 0, 'the request leaves')
  move(5_999)
  assert.equal(await work(), 0, 'its worker may be alive')
  move(1)
  assert.deepEqual(await step(), REVIEW.requests, 'it is dead')
  assert.equal(await row(), 'review 2000 #2, B1', 'no longer failing')
  end({ kind: 'verified' })
  assert.equal(await working, 1)
  assert.deepEqual([await row(), await status()], ['review 2000 #2, B1', 'PENDING'])
})
