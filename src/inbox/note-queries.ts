// Every statement on conversation_notes.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import type { ConversationKey } from './conversation.js'

export interface ConversationNote {
  id: string
  author: string | null
  body: string
  createdAt: Date
}

const COLUMNS = raw('id, author, body, created_at as "createdAt"')

export async function insertNote(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
  { id, author, body, createdAt }: ConversationNote,
): Promise<void> {
  await tx.query(sql`
    insert into conversation_notes (account_id, campaign_id, recipient, id, author, body, created_at)
    values (${accountId}, ${campaignId}, ${recipient}, ${id}, ${author}, ${body}, ${createdAt})`)
}

/** Newest first. */
export async function listNotes(
  db: Queryable,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
  { limit, after }: { limit: number; after: string | null },
): Promise<ConversationNote[]> {
  return db.query<ConversationNote>(sql`
    select ${COLUMNS} from conversation_notes
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}
      ${after === null ? NOTHING : piece`and id < ${after}`}
    order by id desc limit ${limit + 1}`)
}

/** Whether there was one. */
export async function deleteNote(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from conversation_notes
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}
      and id = ${id}
    returning 1`)
  return rows.length > 0
}
