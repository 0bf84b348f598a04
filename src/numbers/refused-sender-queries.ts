// Every statement on numbers that a carrier refuses as senders.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

export interface RefusedSender {
  phoneNumber: string
  accountId: AccountId
  link: string
  /** The carrier's code and text. */
  reason: string
  since: Date
  /** Until then, that link sends nothing from it. */
  until: Date
}

/** Latest first. */
export async function listRefusedSenders(db: Queryable, limit: number): Promise<RefusedSender[]> {
  return db.query<RefusedSender>(sql`
    select phone_number as "phoneNumber", account_id as "accountId", refused_by as "link",
      refused_as as "reason", refused_at as "since", refused_until as "until"
    from numbers where refused_at is not null order by refused_at desc limit ${limit}`)
}

/** Null: no carrier refuses it anymore. */
export async function updateRefusal(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
  refusal: Pick<RefusedSender, 'link' | 'reason' | 'since' | 'until'> | null,
): Promise<void> {
  await tx.query(sql`
    update numbers set refused_at = ${refusal?.since ?? null}, refused_by = ${refusal?.link ?? null},
      refused_as = ${refusal?.reason ?? null}, refused_until = ${refusal?.until ?? null}
    where phone_number = ${phoneNumber} and account_id = ${accountId}`)
}
