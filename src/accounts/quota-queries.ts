// An account's own quotas, which are columns of the accounts table.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { AccountId } from './account.js'
import { applyQuotas, type OwnQuotas, type Quotas } from './quota.js'

const NONE: OwnQuotas = {
  queuedMessages: null,
  storedMessages: null,
  mediaBytes: null,
  webhooks: null,
}

export async function findOwnQuotas(db: Queryable, accountId: AccountId): Promise<OwnQuotas> {
  const [row] = await db.query<OwnQuotas>(sql`
    select queued_messages_max::float8 as "queuedMessages",
      stored_messages_max::float8 as "storedMessages", media_bytes_max::float8 as "mediaBytes",
      webhooks_max::float8 as webhooks
    from accounts where account_id = ${accountId}`)
  return row ?? NONE
}

/** The limits that apply. 0: no limit. */
export async function findQuotas(
  db: Queryable,
  accountId: AccountId,
  installation: Quotas,
): Promise<Quotas> {
  return applyQuotas(await findOwnQuotas(db, accountId), installation)
}

/** The caller holds the lock of the account. */
export async function updateOwnQuotas(
  tx: Transaction,
  accountId: AccountId,
  own: OwnQuotas,
): Promise<void> {
  await tx.query(sql`
    update accounts set queued_messages_max = ${own.queuedMessages},
      stored_messages_max = ${own.storedMessages}, media_bytes_max = ${own.mediaBytes},
      webhooks_max = ${own.webhooks}
    where account_id = ${accountId}`)
}
