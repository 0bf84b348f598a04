// Every statement that writes the opt-out tables. The send path reads them inside its own statements.

import type { AccountId } from '../accounts/account.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { Optout, OptoutChange } from './optout.js'

const COLUMNS = raw(`campaign_id as "campaignId", recipient, number, keyword,
  message_id as "messageId", reason, opted_out_at as "optedOutAt"`)

/** False if the recipient had already opted out. Then nothing changes. */
export async function insertOptout(
  tx: Transaction,
  accountId: AccountId,
  optout: Optout,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into optouts (account_id, campaign_id, recipient, number, keyword, message_id, reason,
      opted_out_at)
    values (${accountId}, ${optout.campaignId}, ${optout.recipient}, ${optout.number},
      ${optout.keyword}, ${optout.messageId}, ${optout.reason}, ${optout.optedOutAt})
    on conflict (account_id, campaign_id, recipient) do nothing
    returning 1`)
  return rows.length > 0
}

export async function deleteOptout(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  recipient: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from optouts
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}
    returning 1`)
  return rows.length > 0
}

export async function insertChange(tx: Transaction, change: OptoutChange): Promise<void> {
  await tx.query(sql`
    insert into optout_changes (account_id, id, campaign_id, recipient, change, source, reason,
      token_id, created_at)
    values (${change.accountId}, ${newId('aud', change.now)}, ${change.campaignId},
      ${change.recipient}, ${change.change}, ${change.source}, ${change.reason}, ${change.tokenId},
      ${change.now})`)
}

export async function findOptout(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  recipient: string,
): Promise<Optout | null> {
  const [row] = await db.query<Optout>(sql`
    select ${COLUMNS} from optouts
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}`)
  return row ?? null
}

/** Which of these recipients, each in its campaign, have opted out. */
export async function findOptouts(
  db: Queryable,
  accountId: AccountId,
  pairs: readonly { campaignId: string; recipient: string }[],
): Promise<Optout[]> {
  return db.query<Optout>(sql`
    select found.*
    from unnest(${pairs.map((w) => w.campaignId)}::text[],
      ${pairs.map((w) => w.recipient)}::text[]) as w (in_campaign, phone)
    cross join lateral (
      select ${COLUMNS} from optouts
      where account_id = ${accountId} and campaign_id = in_campaign and recipient = phone
      limit 1) as found`)
}

/** By recipient, so the next page can continue after the last one. */
export async function listOptouts(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  page: { limit: number; skip: number; after: string | null },
): Promise<Optout[]> {
  return db.query<Optout>(sql`
    select ${COLUMNS} from optouts
    where account_id = ${accountId} and campaign_id = ${campaignId}
      and (${page.after}::text is null or recipient > ${page.after})
    order by recipient limit ${page.limit + 1} offset ${page.skip}`)
}

export interface ListedChange {
  change: 'opted_out' | 'opted_in'
  source: string
  reason: string | null
  createdAt: Date
}

/** The audit log of one recipient, newest first. */
export async function listChanges(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  recipient: string,
): Promise<ListedChange[]> {
  return db.query<ListedChange>(sql`
    select change, source, reason, created_at as "createdAt" from optout_changes
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}
    order by id desc limit 100`)
}

/** Copies opt-outs of these recipients from one campaign to the other. Returns those that are new. */
export async function copyOptouts(
  tx: Transaction,
  accountId: AccountId,
  { from, to }: { from: string; to: string },
  recipients: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ recipient: string }>(sql`
    insert into optouts (account_id, campaign_id, recipient, number, keyword, message_id, reason,
      opted_out_at)
    select account_id, ${to}, recipient, number, keyword, message_id, reason, opted_out_at
    from optouts
    where account_id = ${accountId} and campaign_id = ${from}
      and recipient = any (${recipients}::text[])
    on conflict (account_id, campaign_id, recipient) do nothing
    returning recipient`)
  return rows.map((row) => row.recipient)
}

/** The same change for several recipients. */
export async function insertChanges(
  tx: Transaction,
  change: Omit<OptoutChange, 'recipient'>,
  recipients: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into optout_changes (account_id, id, campaign_id, recipient, change, source, reason,
      token_id, created_at)
    select own.account_id, r.id, ${change.campaignId}, r.recipient, ${change.change},
      ${change.source}, ${change.reason}, ${change.tokenId}, ${change.now}
    from unnest(${recipients.map(() => newId('aud', change.now))}::text[],
      ${recipients}::text[]) as r (id, recipient)
      cross join (select account_id from accounts where account_id = ${change.accountId}) own`)
}
