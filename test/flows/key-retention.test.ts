// Idempotency keys are stored for a day and then deleted, in portions, by the `schedule` role.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyRetentionLoop } from '../../src/accounts/purge-keys.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, type TestService, testService } from '../harness.js'

const HOUR_S = 3_600

async function countKeys({ world }: TestService): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from idempotency_keys`)
  return row!.count
}

test('a key works for a day, then it is gone and may be used again', async (t) => {
  const service = await testService(t, { roles: ['schedule'] })
  const headers = { 'idempotency-key': 'draft-1' }
  const draft = (name: string) => service.post('/v1/brand/draft', { entityName: name }, { headers })
  const advance = (seconds: number) => service.post('/sandbox/clock/advance', { seconds })
  const first = await draft('Acme LLC')
  await advance(23 * HOUR_S)
  const again = await draft('Acme LLC')
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.body.brand.id, first.body.brand.id)

  await advance(2 * HOUR_S)
  await eventually(async () => (await countKeys(service)) === 0, 'the key is deleted')
  const later = await draft('Another LLC')
  assert.equal(later.status, 200, JSON.stringify(later.body))
  assert.equal(await countKeys(service), 1)
})

test('many keys are deleted in portions, and recent ones stay', async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  const now = clock.now()
  await db.query(sql`
    insert into idempotency_keys (account_id, key, request_hash, answer, created_at)
    select 'acc_' || n % 3, 'key ' || n, '', '{}',
      ${now}::timestamptz - case when n <= 2500 then interval '25 hours' else interval '1 hour' end
    from generate_series(1, 2510) n`)
  const loop = keyRetentionLoop(service.world)
  const portions: number[] = []
  for (let count = -1; count !== 0; ) {
    count = await loop.step(new AbortController().signal)
    portions.push(count)
  }
  assert.deepEqual(portions, [1000, 1000, 500, 0])
  assert.equal(await countKeys(service), 10)
})
