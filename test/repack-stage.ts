// Shared by the tests of repacking: small steps, and a second table that gets every change that messages get.

import assert from 'node:assert/strict'
import { sql } from '../src/kit/postgres/sql.js'
import { repackLoop } from '../src/operator/retention/repack-loop.js'
import type { TestService } from './harness.js'

/** A reason to skip a test. */
export const WITHOUT_REPACKING = process.env.TEST_CITUS_WORKERS
  ? 'partitions are not repacked on a cluster'
  : false

/** Any partition that would shrink, in steps of a few rows. */
export const SMALL = { bytesMin: 0, shareMax: 0.6, rows: 200 }

export async function repackUntilDone(world: TestService['world']): Promise<void> {
  const loop = repackLoop(world, SMALL)
  while ((await loop.step(new AbortController().signal)) > 0);
}

/** What messages must contain. */
export class Mirror {
  #changes = 0

  private constructor(readonly service: TestService) {}

  static async of(service: TestService): Promise<Mirror> {
    const { db } = service.world
    await db.query(sql`create table mirror (like messages including defaults)`)
    await db.query(sql`insert into mirror select * from messages`)
    await db.query(sql`create index on mirror (id)`)
    return new Mirror(service)
  }

  /** Updates a row, deletes one, or inserts one with a new key, in both tables at once. */
  async change(): Promise<void> {
    const { db } = this.service.world
    const i = this.#changes++
    const statements = [
      (name: string) => `update ${name} set status = 'READ', body = body || ' changed ${i}'
        where (account_id, id) = (select account_id, id from mirror order by md5(id || '${i}'), account_id limit 1)`,
      (name: string) => `delete from ${name}
        where (account_id, id) = (select account_id, id from mirror order by md5(id || '${i}'), account_id limit 1)`,
      (name: string) => `insert into ${name}
        (account_id, id, campaign_id, type, direction, number, peer, route, body, num_segments, price_micros, status, created_at)
        select account_id, (select substr(min(id), 1, 14) from mirror) || lpad('${i}', 16, 'z'), campaign_id, type,
          direction, number, peer, route, body, num_segments, price_micros, status, created_at
        from mirror where id like '%1' order by md5(id || '${i}'), account_id limit 1`,
    ]
    const statement = statements[i % statements.length]!
    // The mirror last: its rows choose what changes.
    await db.transaction(async (tx) => {
      for (const name of ['messages', 'mirror'])
        await tx.query({ name: '', text: statement(name), values: [] })
    })
  }

  async assertEqual(): Promise<void> {
    const [row] = await this.service.world.db.query<{
      missing: number
      extra: number
      all: number
    }>(sql`
      select (select count(*)::int from (select * from mirror except all select * from messages) m) as missing,
        (select count(*)::int from (select * from messages except all select * from mirror) m) as extra,
        (select count(*)::int from messages) as all`)
    assert.ok(row!.all > 0)
    assert.deepEqual([row!.missing, row!.extra], [0, 0])
  }
}
