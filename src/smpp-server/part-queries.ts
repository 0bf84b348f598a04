// Every statement on the smpp_parts table: parts of long messages, from the first one until an hour after the last.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'

/** What the parts of one long message have in common. */
export interface SetKey {
  accountId: AccountId
  tokenId: string
  sender: string
  peer: string
  reference: number
}

export interface SubmittedPart extends SetKey {
  sequence: number
  total: number
  setId: string
  body: string
  receipt: number
  bindId: string
  /** The ID of the whole message, once it is accepted. */
  messageId: string | null
  receivedAt: Date
}

const COLUMNS =
  raw(`account_id as "accountId", token_id as "tokenId", sender, peer, reference, sequence,
  total, set_id as "setId", body, receipt, bind_id as "bindId", message_id as "messageId",
  received_at as "receivedAt"`)

/** Until the transaction ends, so two last parts that arrive together cannot both conclude that one is missing. */
export async function lockSet(tx: Transaction, key: SetKey): Promise<void> {
  const text = `smpp part ${key.tokenId} ${key.sender} ${key.peer} ${key.reference}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)
}

/** In order. */
export async function listParts(db: Queryable, key: SetKey): Promise<SubmittedPart[]> {
  const rows = await db.query<SubmittedPart>(sql`
    select ${COLUMNS} from smpp_parts
    where account_id = ${key.accountId} and token_id = ${key.tokenId} and sender = ${key.sender}
      and peer = ${key.peer} and reference = ${key.reference}
    order by sequence`)
  return rows.map(read)
}

/** The parts of one message, by the ID of its set. */
export async function listSet(
  db: Queryable,
  accountId: AccountId,
  setId: string,
): Promise<SubmittedPart[]> {
  const rows = await db.query<SubmittedPart>(sql`
    select ${COLUMNS} from smpp_parts where account_id = ${accountId} and set_id = ${setId}
    order by sequence`)
  return rows.map(read)
}

function read(row: SubmittedPart): SubmittedPart {
  return { ...row, body: JSON.parse(row.body) as string }
}

export async function insertPart(tx: Transaction, part: SubmittedPart): Promise<void> {
  await tx.query(sql`
    insert into smpp_parts (account_id, token_id, sender, peer, reference, sequence, total, set_id,
      body, receipt, bind_id, received_at)
    values (${part.accountId}, ${part.tokenId}, ${part.sender}, ${part.peer}, ${part.reference},
      ${part.sequence}, ${part.total}, ${part.setId}, ${JSON.stringify(part.body)}, ${part.receipt},
      ${part.bindId}, ${part.receivedAt})`)
}

/** The part was submitted again over another bind. */
export async function updateBind(
  tx: Transaction,
  { accountId, setId, sequence }: SubmittedPart,
  bindId: string,
): Promise<void> {
  await tx.query(sql`
    update smpp_parts set bind_id = ${bindId}
    where account_id = ${accountId} and set_id = ${setId} and sequence = ${sequence}`)
}

export async function markSetDone(
  db: Queryable,
  { accountId, setId }: Pick<SubmittedPart, 'accountId' | 'setId'>,
  messageId: string,
): Promise<void> {
  await db.query(sql`
    update smpp_parts set message_id = ${messageId}
    where account_id = ${accountId} and set_id = ${setId}`)
}

/** A whole set, or one of its parts. */
export async function deleteParts(
  db: Queryable,
  { accountId, setId }: Pick<SubmittedPart, 'accountId' | 'setId'>,
  sequence: number | null = null,
): Promise<void> {
  await db.query(sql`
    delete from smpp_parts where account_id = ${accountId} and set_id = ${setId}
      and (${sequence}::int is null or sequence = ${sequence})`)
}

/**
 * Sets that have waited for missing parts, or been complete, since before then. Spans accounts, so it only reads.
 */
export async function findOldSets(
  db: Queryable,
  { waitingSince, doneSince }: { waitingSince: Date; doneSince: Date },
  limit: number,
): Promise<Pick<SubmittedPart, 'accountId' | 'setId'>[]> {
  const statement = sql`
    select distinct account_id as "accountId", set_id as "setId" from smpp_parts
    where received_at <= ${waitingSince} and (message_id is null or received_at <= ${doneSince})
    limit ${limit}`
  return db.query(acrossAccounts(statement, { limit }))
}
