// Orders and registrations with an unknown outcome, which a provider lists late: nothing is ordered twice before
// settleMs has passed, a late one is taken over, and a worker that lost its lease between the look-up and the order
// orders nothing. At each provider, the order that counts is found among several.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  claimRegistration,
  findRegistration,
  recordRegistration,
} from '../../src/brands/registration-queries.js'
import { handIn, LeaseLost } from '../../src/campaigns/registration/settle-registration.js'
import { createProviderClient } from '../../src/carriers/providers/provider-client.js'
import { defineCodes } from '../../src/carriers/providers/provider-codes.js'
import { PROVIDERS } from '../../src/carriers/providers/providers.js'
import { RemoteFault } from '../../src/kit/http-client/remote-fault.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import type { NumberSource, OrderState } from '../../src/numbers/number-source.js'
import { claimTask } from '../../src/numbers/provider-number-queries.js'
import { profileFor } from '../../src/numbers/provisioning/campaign-profile.js'
import { runTask } from '../../src/numbers/provisioning/run-task.js'
import { createAccountRecords } from '../account-records.js'
import { fillStates } from '../account-twin.js'
import { testService } from '../harness.js'
import { bandwidthFace, telnyxFace, twilioFace } from '../providers/faces.js'
import type { FakeOrder } from '../providers/fake-numbers.js'
import { type Face, FakeProvider } from '../providers/fake-provider.js'

const SETTLE_MS = 60_000
const START_MS = Date.parse('2027-03-01T12:00:00.000Z')
const NONE: OrderState = { kind: 'none' }

/** How each provider that sells numbers is reached, in the fields of its link. */
const SELLERS: Record<string, { face: Face; fields: (url: string) => object }> = {
  telnyx: {
    face: telnyxFace(),
    fields: (url) => ({ url, apiKey: 'KEY', publicKey: telnyxFace().publicKey }),
  },
  bandwidth: {
    face: bandwidthFace('user', 'password'),
    fields: (url) => ({
      ...{ accountId: '55', user: 'u', password: 'p', dashboardUrl: `${url}/dashboard/api` },
      numbers: { siteId: '1', locationId: '22' },
    }),
  },
  twilio: {
    face: twilioFace('token'),
    fields: (url) => ({ url, accountSid: `AC${'0'.repeat(32)}`, authToken: 'token' }),
  },
}

const NUMBER = '+14152000001'
const OWN = 'num_own'

for (const { name, readAccount } of PROVIDERS) {
  test(`${name}: the order that counts is ours and did not fail, and an owned number needs none`, async (t) => {
    const { face, fields } = SELLERS[name]!
    const fake = new FakeProvider(face, 'https://sms.ours.test', () => async () => null)
    await fake.start()
    t.after(() => fake.stop())
    const account = readAccount(fields(fake.url) as never)
    assert.ok('numbers' in account && account.numbers, JSON.stringify(account))
    const { create: open, parseError, profiles } = account.numbers
    const client = createProviderClient({ codes: defineCodes({}), parseError, timeoutMs: 30_000 })
    t.after(() => client.close())
    const shared = { link: name, monthlyPriceMicros: 1n, settleMs: SETTLE_MS, callbackUrl: '' }
    const source = open({ ...shared, profiles }, client)
    const { numbers } = fake
    const found = async () => (await source.findOrder({ reference: OWN, phoneNumber: NUMBER })).kind
    const place = (reference: string, status: FakeOrder['status']) => {
      numbers.forSale.add(NUMBER)
      numbers.ordersAre = 'pending'
      Object.assign(numbers.order(NUMBER, reference, null)!, { status })
    }
    assert.equal(await found(), 'none')
    place('num_other', 'pending')
    assert.equal(await found(), 'none', 'the order of somebody else')
    const hasOrders = name !== 'twilio' // its numbers are listed, and no orders
    place(OWN, 'failure')
    assert.equal(await found(), hasOrders ? 'failed' : 'none')
    place(OWN, 'pending')
    assert.equal(await found(), hasOrders ? 'pending' : 'none', 'ordered again')
    numbers.complete(numbers.orders.at(-1)!)
    assert.equal(await found(), 'done')
    numbers.orders.length = 0
    assert.equal(await found(), 'done', 'an order that is not listed any more')
  })
}

type Attempt = 'unknown' | 'later' | 'refused'

interface Provider {
  /** How attempts to create end, in order. After these: accepted. */
  attempts: Attempt[]
  /** Whether look-ups list what an unknown attempt created. */
  isListed: boolean
  created: number
  lookups: number
  /** Runs during each look-up. */
  onLookup: () => Promise<void>
}

interface Stage {
  provider: Provider
  /** One step of work, at this time after the start. */
  workAt: (ms: number) => Promise<void>
  /** What the record has of the provider. */
  thereId: () => Promise<string | null>
  /** Another worker takes the record over. */
  steal: () => Promise<void>
}

function makeProvider(): Provider {
  return { attempts: [], isListed: false, created: 0, lookups: 0, onLookup: async () => {} }
}

async function create(provider: Provider): Promise<void> {
  provider.created += 1
  const attempt = provider.attempts.shift()
  if (attempt) throw new RemoteFault(attempt, 'The provider did not respond')
}

async function look(provider: Provider): Promise<boolean> {
  provider.lookups += 1
  await provider.onLookup()
  return provider.isListed
}

async function records(t: TestContext) {
  const service = await testService(t, { balance: '1000' })
  const own = await createAccountRecords(service, service, 'Mineral')
  await fillStates(service, own)
  let nowMs = START_MS
  const clock = { now: () => new Date(nowMs), nowMs: () => nowMs, machineNow: () => new Date() }
  const world = { ...service.world, clock } as unknown as World
  const moveTo = (ms: number) => {
    nowMs = START_MS + ms
  }
  const lease = () => ({
    now: new Date(nowMs),
    leaseUntil: new Date(nowMs + 90_000),
    alive: { now: new Date(0), until: new Date(nowMs + 90_000) },
  })
  return { service, own, world, moveTo, lease }
}

async function numberStage(t: TestContext): Promise<Stage> {
  const { own, world, moveTo, lease } = await records(t)
  const provider = makeProvider()
  const { db } = world
  const key = { accountId: own.accountId, id: '' }
  const [row] = await db.query<{ id: string }>(sql`
    select id from rented_numbers where account_id = ${own.accountId} and phase = 'order'`)
  key.id = row!.id
  const done: OrderState = { kind: 'done', numberId: 'theirs' }
  const source = {
    ...{ link: 'simulator', settleMs: SETTLE_MS, profileOf: () => 'profile' },
    order: async () => create(provider).then(() => done),
    findOrder: async () => ((await look(provider)) ? done : NONE),
  } as unknown as NumberSource
  const due = () =>
    db.query(sql`
    update rented_numbers set due_at = ${new Date(0)}, alive_until = null,
      purchased_at = ${new Date(START_MS - 2 * SETTLE_MS)}
    where account_id = ${key.accountId} and id = ${key.id}`)
  return {
    provider,
    workAt: async (ms) => {
      moveTo(ms)
      await due()
      const task = await claimTask(db, key, lease())
      await runTask(world, source, task!).catch((error) => {
        if (!(error instanceof RemoteFault)) throw error
      })
    },
    thereId: async () => {
      const [found] = await db.query<{ id: string | null }>(sql`
        select number_id as id from rented_numbers
        where account_id = ${key.accountId} and id = ${key.id}`)
      return found!.id
    },
    steal: async () => {
      await db.query(sql`
        update rented_numbers set due_at = ${new Date(START_MS + 9e8)}
        where account_id = ${key.accountId} and id = ${key.id}`)
    },
  }
}

async function registrationStage(t: TestContext, kind: 'brand' | 'campaign'): Promise<Stage> {
  const { own, world, moveTo, lease } = await records(t)
  const provider = makeProvider()
  const { db } = world
  const [row] = await db.query<{ id: string }>(sql`
    update registrations set kind = ${kind}, state = 'submit', provider_id = null, posted_at = null
    where account_id = ${own.accountId} and record_id = (
      select record_id from registrations where account_id = ${own.accountId} limit 1)
    returning record_id as id`)
  const key = { accountId: own.accountId, recordId: row!.id }
  const registrar = { settleMs: SETTLE_MS } as Parameters<typeof handIn>[1]
  const handing = {
    find: async () => ((await look(provider)) ? 'theirs' : null),
    create: async () => create(provider).then(() => 'theirs'),
  }
  return {
    provider,
    workAt: async (ms) => {
      moveTo(ms)
      await db.query(sql`
        update registrations set due_at = ${new Date(0)}, alive_until = null
        where account_id = ${key.accountId} and record_id = ${key.recordId}`)
      const leased = await claimRegistration(db, key, lease())
      await handIn(world, registrar, leased!, handing).catch((error) => {
        if (!(error instanceof RemoteFault) && !(error instanceof LeaseLost)) throw error
      })
    },
    thereId: async () => (await findRegistration(db, key))!.providerId,
    steal: async () => {
      const found = (await findRegistration(db, key))!
      const dueAt = new Date(START_MS + 9e8)
      assert.ok(await recordRegistration(db, found, { ...found, dueAt }))
    },
  }
}

const STAGES: Record<string, (t: TestContext) => Promise<Stage>> = {
  'a number': numberStage,
  'a brand': (t) => registrationStage(t, 'brand'),
  'a campaign': (t) => registrationStage(t, 'campaign'),
}

for (const [name, stageOf] of Object.entries(STAGES)) {
  test(`${name}: an unknown attempt is repeated only after the provider's settle time, and a late one is taken over`, async (t) => {
    const { provider, workAt, thereId, steal } = await stageOf(t)
    provider.attempts = ['unknown', 'later']
    await workAt(0)
    assert.deepEqual([provider.created, provider.lookups], [1, 0], 'the first needs no look-up')
    for (const ms of [1, SETTLE_MS / 2, SETTLE_MS - 1]) await workAt(ms)
    assert.deepEqual([provider.created, provider.lookups], [1, 3], 'it may still be listed')
    assert.equal(await thereId(), null)

    provider.onLookup = steal
    await workAt(SETTLE_MS)
    assert.equal(provider.created, 1, 'another worker has it since the look-up')
    provider.onLookup = async () => {}

    await workAt(SETTLE_MS)
    assert.equal(provider.created, 2, 'it was lost, so it is repeated: not accepted this time')
    provider.isListed = true
    await workAt(SETTLE_MS + 1)
    assert.equal(provider.created, 2, 'the first is listed after all')
    assert.equal(await thereId(), 'theirs')
  })

  test(`${name}: an attempt that is refused because the earlier one was accepted takes that one over`, async (t) => {
    const { provider, workAt, thereId } = await stageOf(t)
    provider.attempts = ['unknown', 'refused']
    await workAt(0)
    provider.onLookup = async () => {
      provider.isListed = provider.created === 2
    }
    await workAt(SETTLE_MS)
    assert.deepEqual([provider.created, await thereId()], [2, 'theirs'])
  })
}

test('a released number whose order is not listed is followed until the settle time, and refunded after it', async (t) => {
  const { service, own, world, moveTo, lease } = await records(t)
  const { db } = world
  const key = { accountId: own.accountId, id: '' }
  const [row] = await db.query<{ id: string }>(sql`
    update rented_numbers set phase = 'release', ordered_at = ${new Date(START_MS)},
      number_id = null, charged_micros = 1000000, purchased_at = ${new Date(START_MS)}
    where account_id = ${own.accountId} and phase = 'order' returning id`)
  key.id = row!.id
  const released: string[] = []
  const source = {
    ...{ link: 'simulator', settleMs: SETTLE_MS },
    findOrder: async () => NONE,
    release: async ({ numberId }: { numberId: string }) => released.push(numberId) > 0,
  } as unknown as NumberSource
  const workAt = async (ms: number) => {
    moveTo(ms)
    await db.query(sql`
      update rented_numbers set due_at = ${new Date(0)}, alive_until = null
      where account_id = ${key.accountId} and id = ${key.id}`)
    await runTask(world, source, (await claimTask(db, key, lease()))!)
    const left = await db.query(sql`
      select 1 from rented_numbers where account_id = ${key.accountId} and id = ${key.id}`)
    return left.length
  }
  const balance = await service.balance()
  assert.equal(await workAt(1), 1)
  assert.equal(await workAt(SETTLE_MS - 1), 1, 'the order may still be listed')
  assert.equal(await service.balance(), balance)
  assert.equal(await workAt(SETTLE_MS), 0)
  assert.equal(await service.balance(), balance + 1, 'it was never ours')
  assert.deepEqual(released, [])
})

test('a profile with an unknown outcome is created again only after the settle time, unless it is listed by then', async (t) => {
  const { own, world, moveTo } = await records(t)
  const provider = makeProvider()
  provider.attempts = ['unknown', 'unknown']
  const source = {
    ...{ link: 'late', settleMs: SETTLE_MS, profileOf: () => null },
    findProfile: async () => ((await look(provider)) ? 'theirs' : null),
    createProfile: async () => create(provider).then(() => 'made'),
  } as unknown as NumberSource
  const workAt = (ms: number, campaignId = own.campaign) => {
    moveTo(ms)
    return profileFor(world, source, { accountId: own.accountId, campaignId }).catch((error) => {
      if (!(error instanceof RemoteFault)) throw error
      return null
    })
  }
  for (const ms of [0, 1, SETTLE_MS - 1]) assert.equal(await workAt(ms), null)
  assert.equal(provider.created, 1, 'it may still be listed')
  provider.isListed = true
  assert.equal(await workAt(SETTLE_MS), 'theirs')
  assert.equal(provider.created, 1)
  provider.isListed = false
  assert.equal(await workAt(SETTLE_MS, own.campaignSpare), null)
  assert.equal(await workAt(2 * SETTLE_MS, own.campaignSpare), 'made')
  assert.equal(provider.created, 3, 'it was lost')
})
