// The statement that accepts messages: one per account and batch. It leaves out the opted-out, takes
// the money, writes messages, transfers, lanes and idempotency keys, all or nothing, and says how many
// messages it wrote. Short of money, the wallet's constraint refuses the whole of it.

import type { AccountId } from '../accounts/account.js'
import { KEPT_MS } from '../accounts/idempotency.js'
import type { Queryable } from '../kit/db.js'
import { plainArray, quoted, textArray } from '../kit/pg-array.js'
import { nameOf, sql } from '../kit/sql.js'
import { chargePieces } from '../ledger/charge-messages.js'
import type { Route } from './lane.js'
import { SOONEST_WINS } from './lane-queries.js'
import type { MessageType } from './message.js'
import { LEASE_MS } from './submit-messages.js'

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
  /** When a dispatcher looks for it. Null: the one of this process gets it right after the commit. */
  dueAt: Date | null
  once: (OnceKey & { answer: string }) | null
}

export interface OnceKey {
  key: string
  requestHash: Buffer
}

/** What becomes a message when it is written: its id holds the time of that moment. */
export type Draft = Omit<NewMessage, 'id' | 'once'> & { once: OnceKey | null }

// The arrays of a batch, in the order of their parameters. Times come as milliseconds: a number is
// quicker to write and to read than a date.
const COLUMNS = `id text, campaign_id text, number text, peer text, route text, body text,
  metadata jsonb, segments smallint, price bigint, due_ms bigint`
const MORE_COLUMNS = 'type text, media_urls jsonb, scheduled_ms bigint, is_reply boolean'
const KEY_COLUMNS = 'key text, request_hash bytea, answer text'

/** What only some batches have is not asked of the others: most are plain SMS, to be sent at once. */
interface Shape {
  columns: string
  row: string
  /** Which recipients' opt-outs count. */
  unless: string
  into: string
  values: string
}

const PLAIN: Shape = {
  columns: COLUMNS,
  row: '',
  unless: '',
  into: 'type, status',
  values: `'SMS', 'QUEUED'`,
}
const FULL: Shape = {
  columns: `${COLUMNS}, ${MORE_COLUMNS}`,
  row: ', to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at',
  unless: 'not t.is_reply and',
  into: 'type, status, media_urls, is_reply, scheduled_at',
  values: `type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    is_reply, scheduled_at`,
}

// An `or` outside of `not exists` would have PostgreSQL read every opt-out of the account.
function allowed({ columns, row, unless }: Shape): string {
  const names = columns.replace(/ \w+(,|$)/g, '$1')
  const arrays = columns
    .split(',')
    .map((column, i) => `$${i + 3}::${column.trim().split(' ')[1]}[]`)
  return `
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at ${row}
    from unnest(${arrays.join(', ')}) as t (${names})
    where not exists (select 1 from optouts o where ${unless} o.account_id = $1
        and o.campaign_id = t.campaign_id and o.recipient = t.peer)
      and exists (select 1 from campaigns c
        where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')`
}

// Lanes are locked in order, so that two batches can wait for each other but never deadlock.
const TELL_LANES = `
  lane as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select $1, campaign_id, route, min(due_at) from accepted where due_at is not null
    group by campaign_id, route order by campaign_id, route
    ${SOONEST_WINS.text}
  )`

const HAND_ON = `
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($3::text[])[1], ($3::text[])[cardinality($3::text[])],
      $2::timestamptz + interval '${LEASE_MS} milliseconds')
  )`

const write = ({ into, values }: Shape, further: string): string => `
  ${chargePieces('accepted')}, ${further}, written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, ${into})
    select $1, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, ${values}
    from accepted
    returning 1
  )
  select count(*)::int as count from written`

const acceptStatement = (shape: Shape, further: string): string => `
  with accepted as materialized (${allowed(shape)}), ${write(shape, further)}`

// A key of an earlier day may be taken again; a live one keeps its message out of the batch.
const acceptKeyedStatement = (shape: Shape, further: string): string => `
  with allowed as materialized (
    ${allowed({ ...shape, columns: `${shape.columns}, ${KEY_COLUMNS}` })}
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
  ), ${write(shape, further)}`

interface Kind {
  isPlain: boolean
  isKeyed: boolean
  /** Some are for the queue, some for the dispatcher of this process. */
  isQueued: boolean
  isHandedOn: boolean
}

const statements = new Map<string, string>()

function statementFor({ isPlain, isKeyed, isQueued, isHandedOn }: Kind): string {
  const kind = `${isPlain} ${isKeyed} ${isQueued} ${isHandedOn}`
  let text = statements.get(kind)
  if (!text) {
    const shape = isPlain ? PLAIN : FULL
    const further = [...(isQueued ? [TELL_LANES] : []), ...(isHandedOn ? [HAND_ON] : [])].join(', ')
    text = (isKeyed ? acceptKeyedStatement : acceptStatement)(shape, further)
    statements.set(kind, text)
  }
  return text
}

/** Those that were written. The others' reasons are for `explainRefusals` to find. */
export async function insertAccepted(
  db: Queryable,
  accountId: AccountId,
  messages: NewMessage[],
  now: Date,
): Promise<NewMessage[]> {
  const kind: Kind = {
    isPlain: messages.every((m) => m.type === 'SMS' && !m.isReply && m.scheduledAt === null),
    isKeyed: messages.some((message) => message.once !== null),
    isQueued: messages.some((message) => message.dueAt !== null),
    isHandedOn: messages.some((message) => message.dueAt === null),
  }
  const text = statementFor(kind)
  const values = [accountId, now, ...columnsOf(messages)]
  if (!kind.isPlain) values.push(...moreColumnsOf(messages))
  if (kind.isKeyed) values.push(...keyColumnsOf(messages))
  const [row] = await db.query<{ count: number }>({ name: nameOf(text), text, values })
  if (row!.count === messages.length) return messages
  const written = await findWritten(db, accountId, messages)
  return messages.filter((message) => written.has(message.id))
}

async function findWritten(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from messages
    where account_id = ${accountId} and id = any (${messages.map((m) => m.id)}::text[])`)
  return new Set(rows.map((row) => row.id))
}

// One pass over the batch with plain texts: at thousands a second, a pass per column is the larger part
// of a send. Ids, numbers and words need no quotes.
function columnsOf(messages: readonly NewMessage[]): string[] {
  let [id, campaign, number, peer, route, body] = ['', '', '', '', '', '']
  let [metadata, segments, price, dueMs] = ['', '', '', '']
  for (const m of messages) {
    id += `,${m.id}`
    campaign += `,${m.campaignId}`
    number += `,${m.number}`
    peer += `,${m.peer}`
    route += `,${m.route}`
    body += `,${quoted(m.body)}`
    metadata += `,${quoted(JSON.stringify(m.metadata))}`
    segments += `,${m.numSegments}`
    price += `,${m.priceMicros}`
    dueMs += `,${m.dueAt === null ? 'NULL' : m.dueAt.getTime()}`
  }
  return [id, campaign, number, peer, route, body, metadata, segments, price, dueMs].map(
    (list) => `{${list.slice(1)}}`,
  )
}

function moreColumnsOf(messages: readonly NewMessage[]): string[] {
  return [
    plainArray(messages.map((m) => m.type)),
    textArray(messages.map((m) => JSON.stringify(m.mediaUrls))),
    plainArray(messages.map((m) => m.scheduledAt?.getTime() ?? null)),
    plainArray(messages.map((m) => m.isReply)),
  ]
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
