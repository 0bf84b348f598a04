// Every statement on the account_retention table: how long an account's texts and media are kept, and
// how far that has been carried out.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/db.js'
import { sql } from '../kit/sql.js'

/** Days; null: kept. */
export interface Retention {
  messageDays: number | null
  mediaDays: number | null
}

export interface RetentionProgress extends Retention {
  accountId: AccountId
  /** Everything with an id below has been seen to. */
  messagesDone: string
  mediaDone: string
}

export const KEPT: Retention = { messageDays: null, mediaDays: null }

export async function findRetentions(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, Retention>> {
  const rows = await db.query<Retention & { accountId: AccountId }>(sql`
    select account_id as "accountId", message_days as "messageDays", media_days as "mediaDays"
    from account_retention where account_id = any (${accountIds}::text[])`)
  return new Map(rows.map(({ accountId, ...retention }) => [accountId, retention]))
}

export async function upsertRetention(
  tx: Transaction,
  accountId: AccountId,
  { messageDays, mediaDays }: Retention,
): Promise<void> {
  await tx.query(sql`
    insert into account_retention (account_id, message_days, media_days)
    values (${accountId}, ${messageDays}, ${mediaDays})
    on conflict (account_id) do update
    set message_days = excluded.message_days, media_days = excluded.media_days`)
}
