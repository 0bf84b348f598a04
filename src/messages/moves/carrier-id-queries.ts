// Every statement on carrier_ids: which message a carrier's ID refers to. On a cluster its rows are with their accounts. Also
// reads carrier_messages, where the previous version stores the same on the coordinator.

import type { AccountId } from '../../accounts/account.js'
import { BRIEFLY, type Queryable, type Store, type Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, NOTHING, piece, raw, type Statement, sql } from '../../kit/postgres/sql.js'
import { slotOf, slotToEmpty } from './week-slots.js'

/** The carrier's name for a message or a part of it. */
export interface CarrierId {
  link: string
  carrierId: string
  accountId: AccountId
  messageId: string
  /** From 0. */
  part: number
  parts: number
}

export interface StoredId extends CarrierId {
  sentAt: Date
}

/** A repeated ID belongs to the newest message, because carriers count up and start over. */
export async function insertCarrierIds(
  db: Queryable,
  accountId: AccountId,
  carrierIds: readonly Omit<CarrierId, 'accountId'>[],
  now: Date,
): Promise<void> {
  const rows = [...new Map(carrierIds.map((row) => [`${row.link} ${row.carrierId}`, row])).values()]
  await db.query(sql`
    insert into carrier_ids (account_id, sent_at, slot, link, carrier_id, message_id, part, parts)
    select own.account_id, ${now}::timestamptz, ${slotOf(now)}::smallint, x.* from unnest(
      ${rows.map((row) => row.link)}::text[], ${rows.map((row) => row.carrierId)}::text[],
      ${rows.map((row) => row.messageId)}::text[],
      ${rows.map((row) => row.part)}::smallint[], ${rows.map((row) => row.parts)}::smallint[]) as x
      cross join (select account_id from accounts where account_id = ${accountId}) own`)
}

/** False if the ID already belongs to a message, of any account. On a cluster, this needs all workers. */
export async function claimCarrierId(
  tx: Transaction,
  { accountId, ...row }: CarrierId,
  now: Date,
): Promise<boolean> {
  const { link, carrierId } = row
  const key = `carrier ID ${link} ${carrierId}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
  // Not `acrossAccounts`: without one of the workers, the answer would be incomplete.
  const [taken] = await tx.query(sql`
    select 1 from carrier_ids where link = ${link} and carrier_id = ${carrierId} limit 1`)
  if (!taken) await insertCarrierIds(tx, accountId, [row], now)
  return !taken
}

/** What to look up. Without an account, on a cluster, every worker is queried. */
export interface IdLookup {
  link: string
  carrierIds: readonly string[]
  accountId?: AccountId
}

const TABLES = ['carrier_ids', 'carrier_messages'] as const
type Table = (typeof TABLES)[number]

const COLUMNS =
  raw(`link, carrier_id as "carrierId", account_id as "accountId", message_id as "messageId",
  part, parts, sent_at as "sentAt"`)

/** By the carrier's ID. If several rows have it, the newest. */
export function findCarrierIds(
  db: Queryable,
  lookup: IdLookup,
  tables: readonly Table[] = TABLES,
): Promise<Map<string, StoredId>> {
  const { link, carrierIds } = lookup
  return findIn(
    db,
    tables,
    lookup,
    (table, ofAccount) =>
      sql`
      select ${COLUMNS} from ${table}
      where link = ${link} and carrier_id = any (${carrierIds}::text[]) ${ofAccount}
      order by sent_at`,
  )
}

/**
 * In any letter case: by the lowercase ID, all that differ only in case. IDs in one case are found by their key.
 * Only those in mixed case are in the second index.
 */
export async function findFoldedIds(
  db: Queryable,
  lookup: IdLookup,
  tables: readonly Table[] = TABLES,
): Promise<Map<string, StoredId[]>> {
  const { link, carrierIds } = lookup
  const lower = [...new Set(carrierIds.map((id) => id.toLowerCase()))]
  const oneCase = [...lower, ...lower.map((id) => id.toUpperCase())]
  const found = await findIn(
    db,
    tables,
    lookup,
    (table, ofAccount) =>
      sql`
      select ${COLUMNS} from ${table}
      where link = ${link} and carrier_id = any (${oneCase}::text[]) ${ofAccount}
      union all
      select ${COLUMNS} from ${table}
      where link = ${link} and lower(carrier_id) = any (${lower}::text[])
        and carrier_id <> lower(carrier_id) and carrier_id <> upper(carrier_id) ${ofAccount}
      order by "sentAt"`,
  )
  const byLower = new Map<string, StoredId[]>()
  for (const row of found.values()) {
    const key = row.carrierId.toLowerCase()
    byLower.set(key, [...(byLower.get(key) ?? []), row])
  }
  return byLower
}

type Inserted = Parameters<typeof sql>[1]

async function findIn(
  db: Queryable,
  tables: readonly Table[],
  { accountId }: IdLookup,
  statementOf: (table: Inserted, ofAccount: Inserted) => Statement,
): Promise<Map<string, StoredId>> {
  const ofAccount = accountId === undefined ? NOTHING : piece`and account_id = ${accountId}`
  const newest = new Map<string, StoredId>()
  for (const table of tables) {
    const statement = statementOf(raw(table), ofAccount)
    const isSpread = table === 'carrier_ids' && accountId === undefined
    const across = { order: ['sentAt'], times: ['sentAt'] }
    const rows = await db.query<StoredId>(isSpread ? acrossAccounts(statement, across) : statement)
    for (const row of rows) {
      const known = newest.get(row.carrierId)
      if (!known || known.sentAt <= row.sentAt) newest.set(row.carrierId, row)
    }
  }
  return newest
}

/** Where IDs may be. The previous version's table empties within two weeks after the upgrade. */
export async function listIdTables(db: Queryable): Promise<readonly Table[]> {
  const rows = await db.query(sql`select 1 from carrier_messages limit 1`)
  return rows.length > 0 ? TABLES : ['carrier_ids']
}

const EMPTY = [
  [sql`truncate carrier_ids_0`, sql`truncate carrier_messages_0`],
  [sql`truncate carrier_ids_1`, sql`truncate carrier_messages_1`],
  [sql`truncate carrier_ids_2`, sql`truncate carrier_messages_2`],
  [sql`truncate carrier_ids_3`, sql`truncate carrier_messages_3`],
] as const

/** Empties the slot that will be written the week after next. On a cluster, this needs all workers. */
export async function purgeCarrierIds(db: Store, now: Date): Promise<void> {
  const slot = slotToEmpty(now)
  const [ids, idsOfPrevious] = EMPTY[slot]!
  const previous = await db.query(sql`select 1 from carrier_messages where slot = ${slot} limit 1`)
  if (previous.length > 0) await db.transaction((tx) => tx.query(idsOfPrevious), BRIEFLY)
  const rows = await db.query(sql`select 1 from carrier_ids where slot = ${slot} limit 1`)
  if (rows.length > 0) await db.transaction((tx) => tx.query(ids), BRIEFLY)
}
