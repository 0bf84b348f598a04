// An account with too many concurrent requests gets 429. Other accounts, and its own sends, use connections that
// these requests cannot occupy.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountShare } from '../../src/kit/postgres/pool-split.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { beforeStop, eventually, type TestService } from '../harness.js'
import { sendingService } from '../sending.js'

const ENV = { LONGCODE_DATABASE_POOL: '12', LONGCODE_DATABASE_TIMEOUT: '10' }

/** Keeps test work pending until it is opened. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Uses up an account's share of a pool, as slow requests would. */
function holdShare({ db }: World, pool: 'read' | 'report', accountId: string) {
  const { opened, open } = gate()
  const size = db.poolUses().find(({ name }) => name === pool)!.max
  const held = Array.from({ length: accountShare(size) }, () =>
    db.pool(pool).admit(accountId, () => opened),
  )
  const release = async () => {
    open()
    await Promise.all(held)
  }
  beforeStop({ db } as World, release)
  return release
}

const REPORTS = [
  ['/v1/stats/messages', { stats: null }],
  ['/v1/account/usage', { usage: [] }],
  ['/v1/account/balances', { days: [] }],
] as const

async function assertLimited(service: TestService, url: string, failure: object): Promise<void> {
  const { status, body, headers } = await service.get(url)
  assert.equal(status, 429, `${url}: ${JSON.stringify(body)}`)
  assert.equal(body.code, 'concurrency_limited')
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  for (const [name, value] of Object.entries(failure)) assert.deepEqual(body[name], value)
}

test('an account that uses up its share of report connections gets 429, and other accounts get their reports', async (t) => {
  const { service, send, message } = await sendingService(t, { env: ENV })
  const other = await service.otherAccount()
  const release = holdShare(service.world, 'report', service.accountId)
  const limited = Promise.all(REPORTS.map(([url, failure]) => assertLimited(service, url, failure)))
  for (const [url] of REPORTS) {
    const { status } = await service.get(url, { token: other.token })
    assert.equal(status, 200, url)
  }
  const id = await send()
  assert.equal((await message(id)).status, 'QUEUED', 'its sends and reads have other connections')
  await limited
  await release()
  for (const [url] of REPORTS) assert.equal((await service.get(url)).status, 200, url)
})

test('an account that uses up its share of read connections gets 429 for reads and writes, and can still send', async (t) => {
  const { service, send, campaignId } = await sendingService(t, { env: ENV })
  const other = await service.otherAccount()
  const release = holdShare(service.world, 'read', service.accountId)
  const refused = Promise.all([
    assertLimited(service, `/v1/campaign/${campaignId}`, { campaign: null }),
    service.post('/v1/token/create', { name: 'x' }).then(({ status, body }) => {
      assert.deepEqual([status, body.code, body.success], [429, 'concurrency_limited', false])
    }),
  ])
  assert.equal((await service.get('/v1/account', { token: other.token })).status, 200)
  await send()
  await refused
  await release()
  assert.equal((await service.get(`/v1/campaign/${campaignId}`)).status, 200)
})

test('hanging reports do not block sends, reads, or workers', async (t) => {
  const { service, send, message } = await sendingService(t, { env: ENV })
  const { db } = service.world
  const { opened, open } = gate()
  const locked = db.patient.transaction(async (tx) => {
    await tx.query(sql`lock table usage_progress in access exclusive mode`)
    await opened
  })
  beforeStop(service.world, async () => {
    open()
    await locked
  })
  const accounts = [{ token: service.token }, await service.otherAccount()]
  const reports = Promise.all(
    accounts.flatMap(({ token }) =>
      Array.from({ length: 6 }, () => service.get('/v1/stats/messages', { token })),
    ),
  )
  const reportPool = () => db.poolUses().find(({ name }) => name === 'report')!
  await eventually(async () => {
    const { total, idle, max } = reportPool()
    return total - idle === max
  }, 'every connection for reports to be in use')
  const id = await send()
  assert.equal((await message(id)).id, id)
  assert.deepEqual(await db.query(sql`select 1 as one`), [{ one: 1 }])
  open()
  await locked
  for (const { status } of await reports) assert.ok([200, 429, 503].includes(status), `${status}`)
  await eventually(async () => (await service.get('/v1/stats/messages')).status === 200)
})

test('requests beyond the waiting limit are refused immediately', async (t) => {
  const { service } = await sendingService(t, { env: ENV })
  const release = holdShare(service.world, 'report', service.accountId)
  const admit = () => service.world.db.pool('report').admit(service.accountId, () => sleep(0))
  const waiting = Array.from({ length: 200 }, () => admit().catch((error: unknown) => error))
  await assert.rejects(admit(), { trouble: 'concurrency_limited' })
  await release()
  await Promise.all(waiting)
})
