// One address for a primary and its standby, by HAProxy with the settings that we recommend: a failover goes by without
// the service knowing more than one server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { splitDatabaseUrl } from '../../src/kit/settings/database-url.js'
import { startHaproxy, WITHOUT_HAPROXY } from '../haproxy.js'
import { eventually, type Reply } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService } from '../sending.js'
import { startReplicaPair } from './replica-pair.js'

const SENDS = 20

test('HAProxy leads to the primary, and to the standby once that has taken over', {
  skip: WITHOUT_HAPROXY,
}, async (t) => {
  const pair = await startReplicaPair()
  const urls = splitDatabaseUrl(pair.url)!
  await allowCheck(urls)
  const sockets = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return `${decodeURIComponent(hostname)}/.s.PGSQL.${port || 5432}`
  })
  const { port, stop } = await startHaproxy(sockets)
  const { username, pathname } = new URL(urls[0]!)
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`
  await eventually(() => isLedToPrimary(url), 'HAProxy finds the primary')
  const database = { url, drop: () => stop().then(pair.drop) }
  const { service, trySend } = await sendingService(t, { roles: ['dispatch'], database })
  const before = await service.balance()
  const sendAll = (name: string) =>
    Promise.all(
      Array.from({ length: SENDS }, (_, i) =>
        eventually(async () => {
          const headers = { 'idempotency-key': `${name} ${i}` }
          const reply = await trySend({ body: `${name} ${i}` }, { headers })
          return isAnswered(reply) && (reply.body.id as string)
        }, 'a send'),
      ),
    )
  const first = await sendAll('before')
  const meanwhile = sendAll('meanwhile')
  pair.killPrimary()
  await pair.promoteStandby()
  const ids = [...first, ...(await meanwhile), ...(await sendAll('after'))]
  assert.equal(new Set(ids).size, 3 * SENDS)
  for (const id of ids) {
    await eventually(async () => {
      const reply = await service.get(`/v1/message/${id}`)
      return isAnswered(reply) && reply.body.message.status === 'DELIVERED'
    }, `${id} is delivered`)
  }
  assertDollars(await service.balance(), before - 3 * SENDS * SMS_PRICE)
})

/** Otherwise it says when to ask again: a connection to the old primary may have been met, and nothing worse. */
function isAnswered({ status, headers, body }: Reply): boolean {
  if (status === 200) return true
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(headers['retry-after'] ?? '', /^\d+$/)
  return false
}

/** As the settings say: a role of its own, which the standby has from the primary. */
async function allowCheck(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as is_standby')
    if (!rows[0].is_standby) await client.query('create role haproxy login')
    await client.end()
  }
}

/** Until it has looked at them, HAProxy takes all servers for good, and leads to each in turn. */
async function isLedToPrimary(url: string): Promise<boolean> {
  for (let i = 0; i < 4; i += 1) if (!(await takesWrites(url))) return false
  return true
}

async function takesWrites(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as is_standby')
    return rows[0].is_standby === false
  } catch {
    return false
  } finally {
    client.end().catch(() => {})
  }
}
