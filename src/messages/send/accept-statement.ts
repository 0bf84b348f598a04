// The text of the statement that accepts messages, by what the batch has in it. It leaves out the opted-out,
// takes the money, writes messages, a transfer, lanes and idempotency keys, all or nothing, and says how
// many messages it wrote.

import { KEPT_MS } from '../../accounts/idempotency-queries.js'
import { relation } from '../../kit/postgres/pieces.js'
import { chargePieces } from '../../ledger/charge-messages.js'
import { LEASE_MS } from '../lane.js'
import { scheduleLanes } from '../lane-queries.js'

// The arrays of a batch, in the order of their parameters. What many messages of a batch have in common
// comes once, as its terms; a message names them by their place. Times come as milliseconds: a number
// is quicker to write and to read than a date.
const TERM_COLUMNS = `campaign_id text, number text, route text, segments smallint, price bigint,
  due_ms bigint`
const COLUMNS = 'id text, peer text, body text, metadata jsonb, terms integer'
const MORE_COLUMNS = `type text, media_urls jsonb, scheduled_ms bigint, automatic text,
  validity smallint, expires_ms bigint`
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
  row: `, to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at`,
  unless: 't.automatic is null and',
  into: 'type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at',
  values: `type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at`,
}

const FIRST_ARRAY = 3
const FIRST_OF_MESSAGES = FIRST_ARRAY + TERM_COLUMNS.split(',').length

function arraysOf(columns: string, first: number): { arrays: string; names: string } {
  const parts = columns.split(',').map((column) => column.trim().split(' '))
  return {
    arrays: parts.map(([, type], i) => `$${first + i}::${type}[]`).join(', '),
    names: parts.map(([name]) => name).join(', '),
  }
}

const termsOf = arraysOf(TERM_COLUMNS, FIRST_ARRAY)
const TERMS = `
  terms as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest(${termsOf.arrays}) with ordinality as t (${termsOf.names}, place)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  )`

const PEERS = `$${FIRST_OF_MESSAGES + 1}::text[]`
// Looked up together, in the order of the index: one by one would be a tenth of what a message costs.
const BARRED = `
  barred as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from terms))
      and recipient = any (${PEERS})
  )`

function allowed({ columns, row, unless }: Shape): string {
  const { arrays, names } = arraysOf(columns, FIRST_OF_MESSAGES)
  return `
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at ${row}
    from unnest(${arrays}) as t (${names}) join terms k on k.place = t.terms
    where not exists (select 1 from barred b where ${unless} b.campaign_id = k.campaign_id
      and b.recipient = t.peer)`
}

const SCHEDULE_LANES = `
  scheduled as (${scheduleLanes(relation('accepted'))}
  )`

const IDS = `$${FIRST_OF_MESSAGES}::text[]`
const HAND_ON = `
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, (${IDS})[1], (${IDS})[cardinality(${IDS})],
      $2::timestamptz + interval '${LEASE_MS} milliseconds')
  )`

const write = ({ into, values }: Shape, further: string): string => `
  ${chargePieces(relation('accepted'))}, ${further}, written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, ${into})
    select $1, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, ${values}
    from accepted
    returning 1
  )
  select count(*)::int as count from written`

const acceptStatement = (shape: Shape, further: string): string => `
  with ${TERMS}, ${BARRED}, accepted as materialized (${allowed(shape)}), ${write(shape, further)}`

// A key of an earlier day may be taken again; a live one keeps its message out of the batch.
const acceptKeyedStatement = (shape: Shape, further: string): string => `
  with ${TERMS}, ${BARRED}, allowed as materialized (
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

export interface Kind {
  isPlain: boolean
  isKeyed: boolean
  /** Some are for the queue, some for the dispatcher of this process. */
  isQueued: boolean
  isHandedOn: boolean
}

const statements = new Map<string, string>()

export function statementFor({ isPlain, isKeyed, isQueued, isHandedOn }: Kind): string {
  const kind = `${isPlain} ${isKeyed} ${isQueued} ${isHandedOn}`
  let text = statements.get(kind)
  if (!text) {
    const shape = isPlain ? PLAIN : FULL
    const further = [...(isQueued ? [SCHEDULE_LANES] : []), ...(isHandedOn ? [HAND_ON] : [])].join(
      ', ',
    )
    text = (isKeyed ? acceptKeyedStatement : acceptStatement)(shape, further)
    statements.set(kind, text)
  }
  return text
}
