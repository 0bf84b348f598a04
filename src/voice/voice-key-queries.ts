// The single row of voice_key: the key for the tags of answers, the same on every node.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** Stores a new key unless one exists, and returns the stored one. If several nodes start at once, one key wins. */
export async function keepVoiceKey(db: Queryable, fresh: Buffer): Promise<Buffer> {
  await db.query(sql`
    insert into voice_key (octets) values (${fresh}) on conflict (only_row) do nothing`)
  const [row] = await db.query<{ octets: Buffer }>(sql`select octets from voice_key`)
  return row!.octets
}
