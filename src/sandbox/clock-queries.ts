// The only row of the test clock: how far the service's time is ahead of the system's.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** Sets how far the service's time is ahead. `moveClock` applies it after the commit. */
export async function advanceOffset(tx: Transaction, seconds: number): Promise<number> {
  const [row] = await tx.query<{ offset: bigint }>(sql`
    update service_clock set offset_ms = offset_ms + ${Math.round(seconds * 1000)}
    returning offset_ms as offset`)
  return Number(row!.offset)
}

export async function findOffsetMs(db: Queryable): Promise<number> {
  const [row] = await db.query<{ offset: bigint }>(sql`
    select offset_ms as offset from service_clock`)
  return Number(row!.offset)
}
