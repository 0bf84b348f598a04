// The one row of voice_key: what the tags of answers are made with, the same for every node.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** The first node's, whichever that was: of several that start at once one is kept, and all read it. */
export async function keepVoiceKey(db: Queryable, fresh: Buffer): Promise<Buffer> {
  await db.query(sql`
    insert into voice_key (octets) values (${fresh}) on conflict (only_row) do nothing`)
  const [row] = await db.query<{ octets: Buffer }>(sql`select octets from voice_key`)
  return row!.octets
}
