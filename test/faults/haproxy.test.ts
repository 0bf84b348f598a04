// HAProxy, with the settings that we recommend, provides one address for a primary and its standby. A failover works
// although the service knows only that address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { splitDatabaseUrl } from '../../src/kit/settings/database-url.js'
import { startHaproxy, WITHOUT_HAPROXY } from '../haproxy.js'
import { eventually, type Reply } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService } from '../sending.js'
import { startReplicaPair } from './replica-pair.js'

const SENDS = 20

test('HAProxy routes to the primary, and to the standby after a failover', {
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
  await eventually(() => isRoutedToPrimary(url), 'HAProxy finds the primary')
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

/** The only other outcome is 503 with Retry-After, because a connection to the old primary may have broken. */
function isAnswered({ status, headers, body }: Reply): boolean {
  if (status === 200) return true
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(headers['retry-after'] ?? '', /^\d+$/)
  return false
}

/** Creates the role for health checks, as in the recommended settings. The standby replicates it from the primary. */
async function allowCheck(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as is_standby')
    if (!rows[0].is_standby) await client.query('create role haproxy login')
    await client.end()
  }
}

/** Before its first health check, HAProxy considers all servers healthy and routes to each in turn. */
async function isRoutedToPrimary(url: string): Promise<boolean> {
  for (let i = 0; i < 4; i += 1) if (!(await acceptsWrites(url))) return false
  return true
}

async function acceptsWrites(url: string): Promise<boolean> {
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
