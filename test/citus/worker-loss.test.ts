// One worker of a Citus cluster is lost: its own tenants get 503, and everyone else's messages, webhooks, brands, and
// renewals continue. Operators see the other tenants. When the worker is back, all work in progress is finished once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeKeys } from '../../src/accounts/purge-keys.js'
import {
  claimRegistration,
  delayRegistration,
  findStuckRegistrations,
  listDueRegistrations,
  submitRegistration,
} from '../../src/brands/registration-queries.js'
import { newId } from '../../src/kit/ids.js'
import { acrossAccounts, raw, sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { findDrift } from '../../src/ledger/ledger-queries.js'
import { closingLoop } from '../../src/ledger/statement/close-days.js'
import { findStuckProvisioning, insertTask } from '../../src/numbers/provider-number-queries.js'
import { newBrand } from '../api/campaign-bodies.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { SMS_PRICE, VZW } from '../sending.js'
import { delivered, sendAll, stage, type Tenant, tenants } from './cut-worker.js'

const DAY_MS = 24 * 60 * 60 * 1000
const OPERATOR = 'op_worker_loss_0123456789abcdef'

test('a lost worker affects only its tenants until it is back', async (t) => {
  const on = await stage()
  const service = await testService(t, {
    database: on.database,
    roles: ['dispatch', 'deliver', 'schedule'],
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR, LONGCODE_DATABASE_POOL: '8' },
  })
  const { near, lost } = await tenants(t, service, on)
  await delivered(near, await sendAll(near, ['before']))
  await delivered(lost, await sendAll(lost, ['before']))
  const before = { near: await near.balance(), lost: await lost.balance() }

  const closing = closingOf(service)
  const left = await sendAll(lost, ['begun 1', 'begun 2', 'begun 3'])
  on.proxy.cut()

  await t.test('other tenants send, and their messages and webhooks arrive', async () => {
    await delivered(near, await sendAll(near, ['meanwhile 1', 'meanwhile 2']))
  })
  await t.test('its own tenants get 503 with Retry-After', async () => {
    await eventually(async () => {
      const reply = await lost.send('refused')
      assert.equal(reply.status, 503, JSON.stringify(reply.body))
      assert.equal(reply.body.code, 'database_unavailable')
      assert.match(reply.headers['retry-after'] ?? '', /^\d+$/)
      return true
    }, 'refused')
    const read = await service.get('/v1/account', { token: lost.token })
    assert.equal(read.status, 503)
  })
  await t.test('other tenants’ brands are created and reviewed', async () => {
    const id = await newBrand(service, {}, { token: near.token })
    await eventually(async () => {
      const { body } = await service.get(`/v1/brand/${id}`, { token: near.token })
      return body.brand.status === 'VERIFIED'
    }, 'the brand is verified')
  })
  await t.test('other tenants’ campaigns are renewed', async () => {
    const renewsAt = new Date(service.world.clock.nowMs() - 1_000)
    const { campaignId } = await activeCampaign(service, { accountId: near.accountId, renewsAt })
    await eventually(async () => {
      const { body } = await service.get('/v1/account/ledger?reason=campaign_renewal', {
        token: near.token,
      })
      return JSON.stringify(body).includes(`campaign_renewal:${campaignId}`)
    }, 'the renewal is paid')
  })
  await t.test(
    'finished handoffs, submits, and old keys of other tenants are deleted',
    async () => {
      const { db, clock } = service.world
      const left = async (table: string) => {
        const count = sql`select 1 from ${raw(table)} where account_id = ${near.accountId} limit 1`
        return (await db.query(count)).length
      }
      await eventually(async () => (await left('handoffs')) === 0, 'no handoff is left')
      assert.equal(await left('submits'), 0)
      const keyed = { headers: { 'idempotency-key': 'one' }, token: near.token }
      const message = { campaign: near.campaignId, to: VZW, body: 'keyed' }
      const sent = await service.post('/v1/message/send', message, keyed)
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      assert.equal(await left('idempotency_keys'), 1)
      const later = new Date(clock.nowMs() + 2 * DAY_MS)
      assert.ok((await purgeKeys(db, db.workers, later, 10)) >= 1)
      assert.equal(await left('idempotency_keys'), 0)
    },
  )
  await t.test('other tenants’ ledgers are checked, and their days closed', async () => {
    assert.deepEqual(await findDrift(service.world.db), [])
    await closing.run()
    assert.deepEqual(await closing.accounts([near, lost]), [near.accountId])
  })
  await t.test('provider work of other tenants continues, and stuck work is reported', async () => {
    await assertProvided(service, near)
  })
  await t.test('operators see other tenants and a note that some are missing', async () => {
    const ask = (url: string) => service.get(`/operator/v1${url}`, { token: OPERATOR })
    const seen = await ask('/account/list?limit=100')
    assert.equal(seen.status, 200, JSON.stringify(seen.body))
    assert.match(String(seen.headers['longcode-incomplete']), /does not respond: its accounts/)
    const ids = seen.body.accounts.map(({ id }: { id: string }) => id)
    assert.ok(ids.includes(near.accountId) && !ids.includes(lost.accountId), ids.join())
    const own = seen.body.accounts.find(({ id }: { id: string }) => id === near.accountId)
    assert.equal(own.balance, await near.balance())
    for (const [url, list] of [
      ['/campaign/list?status=ALL&limit=100', 'campaigns'],
      ['/brand/list?status=ALL&limit=100', 'brands'],
    ] as const) {
      const { status, body } = await ask(url)
      assert.equal(status, 200, JSON.stringify(body))
      const owners = body[list].map(({ accountId }: { accountId: string }) => accountId)
      assert.ok(owners.includes(near.accountId) && !owners.includes(lost.accountId), url)
    }
    assert.equal((await ask('/review/queue')).status, 200)
    assert.equal((await ask('/webhook/list')).status, 200)
    assert.equal((await ask(`/campaign/${near.campaignId}/optouts`)).status, 200)
    assert.equal(
      (await ask(`/campaign/${lost.campaignId}/optouts`)).status,
      503,
      'the campaign may be on the lost worker',
    )
    const optout = `/operator/v1/campaign/${near.campaignId}/optouts/14155550199`
    const put = await service.call('PUT', optout, { reason: 'Asked for' }, { token: OPERATOR })
    assert.equal(put.status, 200, JSON.stringify(put.body))
  })
  await t.test('monitoring shows which worker is down', async () => {
    const ready = await service.get('/readyz', { token: null })
    assert.equal(ready.status, 200)
    assert.deepEqual(ready.body.details, [
      {
        field: 'database',
        problem: `worker ${on.worker} does not respond, so its accounts get 503`,
      },
    ])
    const { status, body } = await service.get('/operator/v1/health', { token: OPERATOR })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.workers.map((one: { worker: string }) => one.worker),
      [on.worker],
    )
    assert.ok(body.workers[0].accounts >= 1)
  })

  on.proxy.heal()

  await t.test(
    'once the worker is back, unfinished work completes and is charged once',
    async () => {
      const again = await eventually(async () => {
        const reply = await lost.send('after')
        return reply.status === 200 && reply
      }, 'sends succeed again')
      await delivered(lost, [...left, again.body.id])
      const spent = before.lost - (await lost.balance())
      assert.equal(spent.toFixed(4), (4 * SMS_PRICE).toFixed(4))
      const ready = await eventually(async () => {
        const { body } = await service.get('/readyz', { token: null })
        return body.details === undefined && body
      }, 'the worker is no longer reported')
      assert.equal(ready.status, 'ready')
      await closing.run()
      const both = [lost.accountId, near.accountId].sort()
      assert.deepEqual(await closing.accounts([near, lost]), both, 'its days are closed too')
    },
  )
})

/** A brand that a provider does not accept and a number that it does not order: both are found due, and found stuck. */
async function assertProvided({ world: { db, clock } }: TestService, near: Tenant) {
  const now = clock.now()
  const { accountId, campaignId } = near
  const brand = { accountId, recordId: newId('brd', now) }
  const task = {
    ...{ accountId, id: newId('rnt', now), phoneNumber: '+14152000001', campaignId, link: 'east' },
    ...({ phase: 'order', since: now, chargedMicros: 0n, purchasedAt: now, dueAt: now } as const),
    ...{ orderedAt: null, numberId: null, isForwardingDue: false, attempts: 0, lastError: null },
  }
  await db.transaction(async (tx) => {
    await submitRegistration(tx, { ...brand, kind: 'brand', link: 'east', now })
    await insertTask(tx, task)
  })
  const due = await listDueRegistrations(db, { now, aliveBy: now }, 10)
  assert.deepEqual(
    due.map(({ recordId }) => recordId),
    [brand.recordId],
  )
  const leased = await claimRegistration(db, brand, {
    now,
    leaseUntil: new Date(now.getTime() + 60_000),
    alive: { now, until: new Date(now.getTime() + 60_000) },
  })
  const failed = { attempts: 1, failingSince: now, lastError: 'busy', dueAt: now }
  await delayRegistration(db, leased!, failed)
  const later = new Date(now.getTime() + 60_000)
  assert.deepEqual(await findStuckRegistrations(db, later), {
    ...{ count: 1, since: now, recordId: brand.recordId, link: 'east', lastError: 'busy' },
  })
  assert.deepEqual(await findStuckProvisioning(db, later), {
    ...{ count: 1, since: now, phase: 'order', link: 'east', lastError: null },
  })
}

/** Closes the ledger of a past day, by a separate clock, when the test runs it. */
function closingOf({ world }: TestService) {
  let ms = 0
  const now = () => new Date(world.clock.nowMs() + 2 * DAY_MS)
  const loop = closingLoop({ ...world, clock: { now } as World['clock'] }, () => ms)
  return {
    run: async () => {
      ms += 600_000
      while ((await loop.step(new AbortController().signal)) > 0);
    },
    /** Those of the tenants whose days are closed. */
    accounts: async (of: readonly Tenant[]) => {
      const ids = of.map(({ accountId }) => accountId)
      const rows = await world.db.query<{ accountId: string }>(
        acrossAccounts(sql`select distinct account_id as "accountId" from ledger_closings`),
      )
      return rows
        .map(({ accountId }) => accountId)
        .filter((id) => ids.includes(id))
        .sort()
    },
  }
}
