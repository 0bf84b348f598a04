// One worker of a Citus cluster is lost: its own tenants get 503, everybody else's messages, webhooks, brands and
// renewals go on, and when it is back, all that was begun is finished, once. The worker itself stays up: the way of
// the coordinator to it is cut.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { newBrand } from '../api/campaign-bodies.js'
import { startProxy, type TcpProxy } from '../faults/tcp-proxy.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { webhookReceiver } from '../flows/webhook-receiver.js'
import {
  cloneDatabase,
  eventually,
  type Reply,
  type TestDatabase,
  type TestService,
  testService,
} from '../harness.js'
import { SMS_PRICE, VZW } from '../sending.js'

const OPERATOR = 'op_worker_loss_0123456789abcdef'
interface Stage {
  database: TestDatabase
  proxy: TcpProxy
  /** As the coordinator knows it. */
  worker: string
  isLost: (accountId: string) => Promise<boolean>
}

/** A database of its own on all nodes, whose coordinator reaches one worker only over a proxy. */
async function stage(): Promise<Stage> {
  const { url, drop } = await cloneDatabase()
  // Ends with the database, after the service: that still needs the way to the worker when it stops.
  const ends: (() => unknown)[] = []
  const later = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext
  const database = {
    url,
    drop: async () => {
      for (const end of ends) await end()
      await drop()
    },
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  ends.push(() => client.end())
  const { rows } = await client.query(
    `select nodeid, groupid, nodeport from pg_dist_node
     where groupid in (select groupid from pg_dist_placement)
     order by groupid = (select groupid from pg_dist_placement where shardid =
       get_shard_id_for_distribution_column('accounts', '*'::text)), nodeid limit 1`,
  )
  const [{ nodeid, groupid, nodeport }] = rows
  const proxy = await startProxy(later, nodeport)
  await client.query('select citus_update_node($1, $2, $3)', [nodeid, '127.0.0.1', proxy.port])
  return {
    database,
    proxy,
    worker: `127.0.0.1:${proxy.port}`,
    isLost: async (accountId) => {
      const found = await client.query(
        `select groupid from pg_dist_placement
         where shardid = get_shard_id_for_distribution_column('accounts', $1::text)`,
        [accountId],
      )
      return found.rows[0].groupid === groupid
    },
  }
}

interface Tenant {
  accountId: string
  token: string
  campaignId: string
  /** Bodies of what its webhook got. */
  got: () => string[]
  send: (body: string) => Promise<Reply>
  statusOf: (id: string) => Promise<string | undefined>
  balance: () => Promise<number>
}

async function tenant(
  t: TestContext,
  service: TestService,
  account: { accountId: string; token: string },
): Promise<Tenant> {
  const { accountId, token } = account
  const { campaignId } = await activeCampaign(service, { accountId })
  await buyNumber(service, campaignId, { token })
  const receiver = await webhookReceiver(t)
  const made = await service.post(
    `/v1/campaign/${campaignId}/webhooks`,
    { url: receiver.url, eventTypes: ['message.status'] },
    { token },
  )
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return {
    accountId,
    token,
    campaignId,
    got: () => receiver.received.map(({ text }) => text),
    send: (body) =>
      service.post('/v1/message/send', { campaign: campaignId, to: VZW, body }, { token }),
    statusOf: async (id) =>
      (await service.get(`/v1/message/${id}`, { token })).body.message?.status,
    balance: async () => (await service.get('/v1/account', { token })).body.account.balance,
  }
}

/** Accounts on either side of the cut. */
async function tenants(t: TestContext, service: TestService, { isLost }: Stage) {
  const sides = new Map<boolean, Tenant>()
  while (sides.size < 2) {
    const account = await service.otherAccount('50')
    const side = await isLost(account.accountId)
    if (!sides.has(side)) sides.set(side, await tenant(t, service, account))
  }
  return { near: sides.get(false)!, lost: sides.get(true)! }
}

async function sendAll(one: Tenant, bodies: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of bodies) {
    const reply = await one.send(body)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    ids.push(reply.body.id)
  }
  return ids
}

async function delivered(one: Tenant, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await eventually(async () => (await one.statusOf(id)) === 'DELIVERED', `${id} DELIVERED`)
    await eventually(
      async () => one.got().some((text) => text.includes(id) && text.includes('DELIVERED')),
      `webhook of ${id}`,
    )
  }
}

test('the loss of one worker is the loss of its own tenants alone, until it is back', async (t) => {
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

  const left = await sendAll(lost, ['begun 1', 'begun 2', 'begun 3'])
  on.proxy.cut()

  await t.test('others send, and their messages and webhooks arrive', async () => {
    await delivered(near, await sendAll(near, ['meanwhile 1', 'meanwhile 2']))
  })
  await t.test('its own tenants get 503 and are told when to try again', async () => {
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
  await t.test('brands of others are created and reviewed', async () => {
    const id = await newBrand(service, {}, { token: near.token })
    await eventually(async () => {
      const { body } = await service.get(`/v1/brand/${id}`, { token: near.token })
      return body.brand.status === 'VERIFIED'
    }, 'the brand is verified')
  })
  await t.test('campaigns of others are renewed', async () => {
    const renewsAt = new Date(service.world.clock.nowMs() - 1_000)
    const { campaignId } = await activeCampaign(service, { accountId: near.accountId, renewsAt })
    await eventually(async () => {
      const { body } = await service.get('/v1/account/ledger?reason=campaign_renewal', {
        token: near.token,
      })
      return JSON.stringify(body).includes(`campaign_renewal:${campaignId}`)
    }, 'the renewal is paid')
  })
  await t.test('whoever watches the service is told which worker is away', async () => {
    const ready = await service.get('/readyz', { token: null })
    assert.equal(ready.status, 200)
    assert.deepEqual(ready.body.details, [
      { field: 'database', problem: `worker ${on.worker} does not answer: its accounts get 503` },
    ])
    const { status, body } = await service.get('/operator/v1/health', { token: OPERATOR })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.workers.map((one: { worker: string }) => one.worker),
      [on.worker],
    )
    assert.ok(body.workers[0].accounts >= 1)
  })

  on.proxy.mend()

  await t.test('when it is back, what was begun is finished, and charged once', async () => {
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
    }, 'nothing is said of the worker any more')
    assert.equal(ready.status, 'ready')
  })
})
