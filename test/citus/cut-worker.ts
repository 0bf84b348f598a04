// A Citus cluster where one worker can be cut off, and accounts on both sides of the cut. The worker itself stays up:
// only the coordinator's connection to it is cut.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { startProxy, type TcpProxy } from '../faults/tcp-proxy.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { webhookReceiver } from '../flows/webhook-receiver.js'
import {
  cloneDatabase,
  eventually,
  type Reply,
  type TestDatabase,
  type TestService,
} from '../harness.js'
import { VZW } from '../sending.js'

interface Stage {
  database: TestDatabase
  proxy: TcpProxy
  /** Host and port, as the coordinator knows them. */
  worker: string
  isLost: (accountId: string) => Promise<boolean>
}

/** A separate database on all nodes, whose coordinator reaches one worker only through a proxy. */
export async function stage(): Promise<Stage> {
  const { url, drop } = await cloneDatabase()
  // Ends with the database, after the service: a stopping service still needs its connection to the worker.
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

export interface Tenant {
  accountId: string
  token: string
  campaignId: string
  /** The bodies its webhook received. */
  got: () => string[]
  send: (body: string) => Promise<Reply>
  statusOf: (id: string) => Promise<string | undefined>
  balance: () => Promise<number>
}

export async function tenant(
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

/** One account on each side of the cut. */
export async function tenants(t: TestContext, service: TestService, { isLost }: Stage) {
  const sides = new Map<boolean, Tenant>()
  while (sides.size < 2) {
    const account = await service.otherAccount('50')
    const side = await isLost(account.accountId)
    if (!sides.has(side)) sides.set(side, await tenant(t, service, account))
  }
  return { near: sides.get(false)!, lost: sides.get(true)! }
}

export async function sendAll(one: Tenant, bodies: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of bodies) {
    const reply = await one.send(body)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    ids.push(reply.body.id)
  }
  return ids
}

export async function delivered(one: Tenant, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await eventually(async () => (await one.statusOf(id)) === 'DELIVERED', `${id} DELIVERED`)
    await eventually(
      async () => one.got().some((text) => text.includes(id) && text.includes('DELIVERED')),
      `webhook of ${id}`,
    )
  }
}
