// Every statement on the twilio_credentials table.

import type { AccountId } from '../accounts/account.js'
import { listTokensNamed } from '../accounts/token-queries.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

export interface TwilioCredential {
  accountId: AccountId
  /** The access token with the same text. */
  tokenId: string
  authToken: string
  statusWebhookId: string
  createdAt: Date
}

/** Replaces the previous one. */
export async function saveCredential(tx: Transaction, c: TwilioCredential): Promise<void> {
  await tx.query(sql`
    insert into twilio_credentials (account_id, token_id, auth_token, status_webhook_id, created_at)
    values (${c.accountId}, ${c.tokenId}, ${c.authToken}, ${c.statusWebhookId}, ${c.createdAt})
    on conflict (account_id) do update set token_id = excluded.token_id,
      auth_token = excluded.auth_token, created_at = excluded.created_at`)
}

/** Whether or not its token was revoked. */
export async function findStoredCredential(
  db: Queryable,
  accountId: AccountId,
): Promise<TwilioCredential | null> {
  const [row] = await db.query<TwilioCredential>(sql`
    select account_id as "accountId", token_id as "tokenId", auth_token as "authToken",
      status_webhook_id as "statusWebhookId", created_at as "createdAt"
    from twilio_credentials where account_id = ${accountId}`)
  return row ?? null
}

/** Null if its token was revoked, for example in the list of tokens. */
export async function findCredential(
  db: Queryable,
  accountId: AccountId,
): Promise<TwilioCredential | null> {
  const stored = await findStoredCredential(db, accountId)
  if (!stored) return null
  const tokens = await listTokensNamed(db, accountId, [stored.tokenId])
  return tokens.some(({ id }) => id === stored.tokenId) ? stored : null
}
