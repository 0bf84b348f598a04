// The single row of voice_secret: the key for the tags of answers, the same on every node.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** Stores a new key unless one exists, and returns the stored one. If several nodes start at once, one key wins. */
export async function keepVoiceKey(db: Queryable, fresh: Buffer): Promise<Buffer> {
  await db.query(sql`
    insert into voice_secret (bytes) values (${fresh}) on conflict (only_row) do nothing`)
  const [row] = await db.query<{ bytes: Buffer }>(sql`select bytes from voice_secret`)
  return row!.bytes
}
