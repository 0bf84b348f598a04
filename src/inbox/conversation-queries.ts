// Every statement on conversations. Sends do not write here, so they cost the same with and without an inbox. Whether a
// conversation was answered is looked up in the messages, by an index, only for conversations that may be waiting.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Conversation, ConversationKey, View } from './conversation.js'

/** How many conversations one request reads at most. */
export const INBOX_REACH = 1_000

const isAnswered = (accountId: AccountId) => piece`exists (
  select 1 from messages later
  where later.account_id = ${accountId} and later.campaign_id = c.campaign_id
    and later.peer = c.recipient and later.id > c.position
    and later.direction = 'OUTBOUND' and later.automatic is null)`

const COLUMNS =
  raw(`c.campaign_id as "campaignId", c.recipient, c.status, c.is_unread as "isUnread",
  c.assignee, c.updated_at as "updatedAt"`)

const isWaitingNow = (accountId: AccountId) =>
  piece`(c.is_waiting and not ${isAnswered(accountId)}) as "isWaiting"`

/** A reply opens the conversation again. */
export async function upsertReplied(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
  reply: { messageId: string; now: Date },
): Promise<Conversation> {
  const [row] = await tx.query<Omit<Conversation, 'isWaiting'>>(sql`
    insert into conversations as c (account_id, campaign_id, recipient, position, status, is_unread,
      is_waiting, updated_at)
    values (${accountId}, ${campaignId}, ${recipient}, ${reply.messageId}, 'OPEN', true, true, ${reply.now})
    on conflict (account_id, campaign_id, recipient) do update
      set position = excluded.position, status = 'OPEN', is_unread = true, is_waiting = true,
        updated_at = excluded.updated_at
    returning ${COLUMNS}`)
  return { ...row!, isWaiting: true }
}

export async function findConversation(
  db: Queryable,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
): Promise<Conversation | null> {
  const [row] = await db.query<Conversation>(sql`
    select ${COLUMNS}, ${isWaitingNow(accountId)} from conversations c
    where c.account_id = ${accountId} and c.campaign_id = ${campaignId} and c.recipient = ${recipient}`)
  return row ?? null
}

export async function lockConversation(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
): Promise<void> {
  await tx.query(sql`
    select 1 from conversations
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}
    for update`)
}

/** Without a reply, a conversation is in the inbox only because someone changed it. */
export async function insertConversation(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient }: ConversationKey,
  { position, now }: { position: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into conversations (account_id, campaign_id, recipient, position, status, is_unread,
      is_waiting, updated_at)
    values (${accountId}, ${campaignId}, ${recipient}, ${position}, 'OPEN', false, false, ${now})
    on conflict do nothing`)
}

export async function updateConversation(
  tx: Transaction,
  accountId: AccountId,
  { campaignId, recipient, status, isUnread, assignee, updatedAt }: Conversation,
): Promise<void> {
  await tx.query(sql`
    update conversations set status = ${status}, is_unread = ${isUnread}, assignee = ${assignee},
      updated_at = ${updatedAt}
    where account_id = ${accountId} and campaign_id = ${campaignId} and recipient = ${recipient}`)
}

const IN_VIEW: Record<View, ReturnType<typeof raw>> = {
  open: raw(`c.status = 'OPEN'`),
  unread: raw(`c.status = 'OPEN' and c.is_unread`),
  waiting: raw(`c.status = 'OPEN' and c.is_waiting`),
  closed: raw(`c.status = 'CLOSED'`),
}

export interface InboxFilter {
  view: View
  campaignId: string | null
  assignee: string | null
}

export interface InboxRow extends Conversation {
  position: string
  /** It still counts as waiting, but was answered. */
  isSettled: boolean
  lastMessageId: string | null
}

export interface InboxPage {
  rows: InboxRow[]
  /** Those that were answered since. */
  answered: InboxRow[]
  /** Where the next page continues. Null at the end. */
  next: string | null
}

/** Latest reply first. */
export async function listInboxRows(
  db: Queryable,
  accountId: AccountId,
  filter: InboxFilter,
  page: { limit: number; after: string | null },
  reach = INBOX_REACH,
): Promise<InboxPage> {
  const { view, campaignId, assignee } = filter
  const found = await db.query<InboxRow & { isWanted: boolean; isLastStep: boolean }>(sql`
    with looked_at as (
      select c.*, row_number() over (order by c.position desc) = ${reach} as is_last_step,
        c.is_waiting and ${isAnswered(accountId)} as is_settled
      from (
        select * from conversations c where c.account_id = ${accountId} and ${IN_VIEW[view]}
          ${assignee === null ? NOTHING : piece`and c.assignee = ${assignee}`}
          ${page.after === null ? NOTHING : piece`and c.position < ${page.after}`}
        order by c.position desc limit ${reach}) c
    ), wanted as (
      select *, ${campaignId === null ? raw('true') : piece`campaign_id = ${campaignId}`}
        and (${view !== 'waiting'} or not is_settled) as is_wanted
      from looked_at
    )
    select ${COLUMNS}, c.position, c.is_waiting and not c.is_settled as "isWaiting",
      c.is_settled as "isSettled", c.is_wanted as "isWanted", c.is_last_step as "isLastStep",
      (select m.id from messages m where m.account_id = ${accountId}
        and m.campaign_id = c.campaign_id and m.peer = c.recipient
        order by m.id desc limit 1) as "lastMessageId"
    from wanted c where c.is_wanted or c.is_last_step or c.is_settled
    order by c.position desc limit ${page.limit + 1}`)
  const rows = found.filter((row) => row.isWanted)
  const isMore = rows.length > page.limit || found.at(-1)?.isLastStep || found.length > page.limit
  const last = rows.length > page.limit ? rows[page.limit - 1] : found.at(-1)
  return {
    rows: rows.slice(0, page.limit),
    answered: found.filter((row) => row.isSettled),
    next: isMore ? last!.position : null,
  }
}

/** Unless there is a new reply since. */
export async function settleAnswered(
  db: Queryable,
  accountId: AccountId,
  answered: readonly Pick<InboxRow, 'campaignId' | 'recipient' | 'position'>[],
): Promise<void> {
  await db.query(sql`
    update conversations c set is_waiting = false
    from unnest(${answered.map((row) => row.campaignId)}::text[],
      ${answered.map((row) => row.recipient)}::text[],
      ${answered.map((row) => row.position)}::text[]) as done (in_campaign, phone, at)
    where c.account_id = ${accountId} and c.campaign_id = done.in_campaign
      and c.recipient = done.phone and c.position = done.at`)
}

export interface InboxCounts {
  open: number
  unread: number
  waiting: number
  assigned: number
}

/** Of the latest conversations: at most INBOX_REACH each. */
export async function countInbox(
  db: Queryable,
  accountId: AccountId,
  { campaignId, assignee }: Pick<InboxFilter, 'campaignId' | 'assignee'>,
): Promise<InboxCounts> {
  const latest = (inView: ReturnType<typeof raw> | ReturnType<typeof piece>) => piece`
    (select c.* from conversations c where c.account_id = ${accountId} and ${inView}
      order by c.position desc limit ${INBOX_REACH}) c`
  const ofCampaign = campaignId === null ? raw('true') : piece`c.campaign_id = ${campaignId}`
  const [row] = await db.query<InboxCounts>(sql`
    select
      (select count(*)::int from ${latest(IN_VIEW.open)} where ${ofCampaign}) as open,
      (select count(*)::int from ${latest(IN_VIEW.unread)} where ${ofCampaign}) as unread,
      (select count(*)::int from ${latest(IN_VIEW.waiting)}
        where ${ofCampaign} and not ${isAnswered(accountId)}) as waiting,
      (select count(*)::int from ${latest(piece`c.status = 'OPEN' and c.assignee = ${assignee}`)}
        where ${ofCampaign}) as assigned`)
  return row!
}
