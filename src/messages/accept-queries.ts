// The statement that accepts messages: one per account and batch. It leaves out the opted-out, takes
// the money, writes messages, transfers, lanes and idempotency keys, all or nothing, and says which
// messages it wrote. Short of money, the wallet's constraint refuses the whole of it.

import type { AccountId } from '../accounts/account.js'
import { KEPT_MS } from '../accounts/idempotency.js'
import type { Queryable } from '../kit/db.js'
import { quoted, textArray } from '../kit/pg-array.js'
import { nameOf, sql } from '../kit/sql.js'
import { chargePieces } from '../ledger/charge-messages.js'
import type { Route } from './lane.js'
import type { MessageType } from './message.js'

export interface NewMessage {
  id: string
  campaignId: string
  type: MessageType
  number: string
  peer: string
  route: Route
  body: string
  mediaUrls: readonly string[]
  metadata: Readonly<Record<string, string>>
  numSegments: number
  priceMicros: bigint
  /** Automatic, to a keyword: sent also to the opted-out. */
  isReply: boolean
  scheduledAt: Date | null
  /** When the dispatcher looks for it, or when the lease of the one that was handed it ends. */
  dueAt: Date
  /** The dispatcher of this process gets it right after the commit. */
  isHandedOn: boolean
  once: (OnceKey & { answer: string }) | null
}

export interface OnceKey {
  key: string
  requestHash: Buffer
}

/** What becomes a message when it is written: its id holds the time of that moment. */
export type Draft = Omit<NewMessage, 'id' | 'once'> & { once: OnceKey | null }

const INPUT = `unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::jsonb[], $11::jsonb[], $12::smallint[], $13::bigint[], $14::bigint[],
    $15::bigint[], $16::boolean[])`
const INPUT_COLUMNS = `id, campaign_id, type, number, peer, route, body, media_urls, metadata,
    segments, price, scheduled_ms, due_ms, is_reply`
// Times come as milliseconds: a number is quicker to write and to read than a date.
const INPUT_ROW = `t.*, to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.due_ms / 1000.0::float8) as due_at`
const KEYED_INPUT = INPUT.replace(/\)$/, ', $17::text[], $18::bytea[], $19::text[])')

// An `or` outside of `not exists` would have PostgreSQL read every opt-out of the account.
const ALLOWED = `
  not exists (select 1 from optouts o where not t.is_reply
    and o.account_id = $1 and o.campaign_id = t.campaign_id and o.recipient = t.peer)
  and exists (select 1 from campaigns c
    where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')`

const WRITE = `${chargePieces('accepted')}, lane as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select $1, campaign_id, route, min(due_at) from accepted group by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), written as (
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      media_urls, metadata, num_segments, price_micros, is_reply, status, scheduled_at, due_at,
      created_at, updated_at)
    select $1, id, campaign_id, type, 'OUTBOUND', number, peer, route, body, media_urls, metadata,
      segments, price, is_reply, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end,
      scheduled_at, due_at, $2, $2
    from accepted
    returning id
  )
  select id from written`

const ACCEPT = `
  with accepted as materialized (
    select ${INPUT_ROW} from ${INPUT} as t (${INPUT_COLUMNS}) where ${ALLOWED}
  ), ${WRITE}`

// A key of an earlier day may be taken again; a live one keeps its message out of the batch.
const ACCEPT_KEYED = `
  with allowed as materialized (
    select ${INPUT_ROW} from ${KEYED_INPUT} as t (${INPUT_COLUMNS}, key, request_hash, answer)
    where ${ALLOWED}
  ), keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) $1, key, request_hash, answer, $2::timestamptz
    from allowed where key is not null order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where k.created_at <= $2::timestamptz - interval '${KEPT_MS} milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), ${WRITE}`

/** The ids that were written. The others' reasons are for `explainRefusals` to find. */
export async function insertAccepted(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
  now: Date,
): Promise<Set<string>> {
  const isKeyed = messages.some((message) => message.once !== null)
  const text = isKeyed ? ACCEPT_KEYED : ACCEPT
  const values = [
    accountId,
    now,
    ...columnsOf(messages),
    ...(isKeyed ? keyColumnsOf(messages) : []),
  ]
  const rows = await db.query<{ id: string }>({ name: nameOf(text), text, values })
  return new Set(rows.map((row) => row.id))
}

// One pass over the batch with plain texts: at thousands a second, a pass per column is the larger part
// of a send. Ids, numbers and words need no quotes.
function columnsOf(messages: readonly NewMessage[]): string[] {
  let [id, campaign, type, number, peer, route, body] = ['', '', '', '', '', '', '']
  let [media, metadata, segments, price, scheduledMs, dueMs, isReply] = ['', '', '', '', '', '', '']
  for (const m of messages) {
    id += `,${m.id}`
    campaign += `,${m.campaignId}`
    type += `,${m.type}`
    number += `,${m.number}`
    peer += `,${m.peer}`
    route += `,${m.route}`
    body += `,${quoted(m.body)}`
    media += m.mediaUrls.length === 0 ? ',[]' : `,${quoted(JSON.stringify(m.mediaUrls))}`
    metadata += `,${quoted(JSON.stringify(m.metadata))}`
    segments += `,${m.numSegments}`
    price += `,${m.priceMicros}`
    scheduledMs += m.scheduledAt === null ? ',NULL' : `,${m.scheduledAt.getTime()}`
    dueMs += `,${m.dueAt.getTime()}`
    isReply += m.isReply ? ',t' : ',f'
  }
  return [id, campaign, type, number, peer, route, body, media, metadata, segments, price]
    .concat(scheduledMs, dueMs, isReply)
    .map((list) => `{${list.slice(1)}}`)
}

function keyColumnsOf(messages: readonly NewMessage[]): string[] {
  return [
    textArray(messages.map((m) => m.once?.key ?? null)),
    textArray(messages.map((m) => m.once && `\\x${m.once.requestHash.toString('hex')}`)),
    textArray(messages.map((m) => m.once?.answer ?? null)),
  ]
}

export interface RefusalFacts {
  id: string
  isOptedOut: boolean
  isActive: boolean
}

/** Why messages of a batch were left out: asked only when some were. */
export async function explainRefusals(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
): Promise<RefusalFacts[]> {
  return db.query<RefusalFacts>(sql`
    select t.id,
      exists (select 1 from optouts o where o.account_id = ${accountId}
        and o.campaign_id = t.campaign_id and o.recipient = t.peer) as "isOptedOut",
      exists (select 1 from campaigns c where c.account_id = ${accountId}
        and c.id = t.campaign_id and c.status = 'ACTIVE') as "isActive"
    from unnest(${messages.map((m) => m.id)}::text[], ${messages.map((m) => m.campaignId)}::text[],
      ${messages.map((m) => m.peer)}::text[]) as t (id, campaign_id, peer)`)
}
