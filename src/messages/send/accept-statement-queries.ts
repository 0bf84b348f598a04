// The text of the statement that accepts messages, depending on the batch. It leaves out opted-out recipients,
// charges the wallet, and writes messages, a transfer, lanes, idempotency keys, and counter changes, all or
// nothing. It returns how many messages it wrote.

import { keyPiece } from '../../accounts/idempotency-queries.js'
import {
  OWN_FROM,
  parametersOf,
  relation,
  type Types,
  unnested,
} from '../../kit/postgres/pieces.js'
import { fromTenantRow } from '../../kit/tenant-queries.js'
import { chargePieces } from '../../ledger/charge-messages.js'
import { LEASE_MS } from '../lane.js'
import { scheduleLanes } from '../lane-queries.js'
import { acceptedPiece } from '../moves/counter-queries.js'

// The arrays of a batch, in the order of their parameters. `accept-queries.ts` makes a value for each. Shared
// values come once, and a message refers to them by ordinal. Times are milliseconds, because a number is faster to
// write and read than a date.
export const SHARED_COLUMNS = {
  campaign_id: 'text',
  number: 'text',
  route: 'text',
  segments: 'smallint',
  price: 'bigint',
  due_ms: 'bigint',
} as const
export const MESSAGE_COLUMNS = {
  id: 'text',
  peer: 'text',
  body: 'text',
  metadata: 'jsonb',
  shared: 'integer',
} as const
export const MORE_COLUMNS = {
  type: 'text',
  media_urls: 'jsonb',
  scheduled_ms: 'bigint',
  automatic: 'text',
  validity: 'smallint',
  expires_ms: 'bigint',
} as const
export const KEY_COLUMNS = { key: 'text', request_hash: 'bytea', answer: 'text' } as const

/** What pieces from other modules find in `accepted` and `allowed`. */
type AcceptedColumn = keyof typeof SHARED_COLUMNS | keyof typeof MESSAGE_COLUMNS | 'due_at'
const ACCEPTED = relation<AcceptedColumn>('accepted')
const ALLOWED = relation<AcceptedColumn | keyof typeof KEY_COLUMNS>('allowed')

/** What only some batches need. Most batches are plain SMS to send immediately. */
interface Shape {
  columns: Types<string>
  row: string
  /** Which recipients' opt-outs count. */
  unless: string
  /** Whether some start as SCHEDULED instead of QUEUED. */
  isScheduled: boolean
  into: string
  values: string
}

const PLAIN: Shape = {
  columns: MESSAGE_COLUMNS,
  row: '',
  unless: '',
  isScheduled: false,
  into: 'type, status',
  values: `'SMS', 'QUEUED'`,
}
const FULL: Shape = {
  columns: { ...MESSAGE_COLUMNS, ...MORE_COLUMNS },
  row: `, to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at`,
  unless: 't.automatic is null and',
  isScheduled: true,
  into: 'type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at',
  values: `type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at`,
}

const FIRST_OF_MESSAGES = OWN_FROM + Object.keys(SHARED_COLUMNS).length

function arraysOf<Column extends string>(columns: Types<Column>, first: number) {
  const types = Object.entries<string>(columns).map(([name, type]) => [name, `${type}[]`])
  return parametersOf<Column>(Object.fromEntries(types), first)
}

const SHARED = `
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from ${unnested(arraysOf(SHARED_COLUMNS, OWN_FROM), 't', 'ordinal')}
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  )`

const { id: IDS, peer: PEERS } = arraysOf(MESSAGE_COLUMNS, FIRST_OF_MESSAGES)
// Looked up together, in the order of the index: one by one, this would be a tenth of a message's cost.
const OPTED_OUT = `
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any (${PEERS})
  )`

function allowed({ columns, row, unless }: Shape): string {
  return `
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at ${row}
    from ${unnested(arraysOf(columns, FIRST_OF_MESSAGES), 't')} join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where ${unless} b.campaign_id = k.campaign_id
      and b.recipient = t.peer)`
}

const SCHEDULE_LANES = `
  scheduled as (${scheduleLanes(ACCEPTED)}
  )`

const HAND_OFF = `
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, (${IDS})[1], (${IDS})[cardinality(${IDS})],
      $2::timestamptz + interval '${LEASE_MS} milliseconds')
  )`

const write = ({ isScheduled, into, values }: Shape, further: string): string => `
  ${chargePieces(ACCEPTED)}, ${further}, ${acceptedPiece(ACCEPTED, isScheduled)}, written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, ${into})
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, ${values}
    from ${fromTenantRow(ACCEPTED.name)}
    returning 1
  )
  select count(*)::int as count from written`

const acceptStatement = (shape: Shape, further: string): string => `
  with ${SHARED}, ${OPTED_OUT}, accepted as materialized (${allowed(shape)}), ${write(shape, further)}`

// A key that was used before keeps its message out of the batch.
const acceptKeyedStatement = (shape: Shape, further: string): string => `
  with ${SHARED}, ${OPTED_OUT}, allowed as materialized (
    ${allowed({ ...shape, columns: { ...shape.columns, ...KEY_COLUMNS } })}
  ), ${keyPiece(ALLOWED)}, accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), ${write(shape, further)}`

export interface BatchKind {
  isPlain: boolean
  isKeyed: boolean
  /** Some are for the queue, some for the dispatcher of this process. */
  isQueued: boolean
  isHandedOff: boolean
}

const statements = new Map<string, string>()

export function statementFor({ isPlain, isKeyed, isQueued, isHandedOff }: BatchKind): string {
  const kind = `${isPlain} ${isKeyed} ${isQueued} ${isHandedOff}`
  let text = statements.get(kind)
  if (!text) {
    const shape = isPlain ? PLAIN : FULL
    const further = [
      ...(isQueued ? [SCHEDULE_LANES] : []),
      ...(isHandedOff ? [HAND_OFF] : []),
    ].join(', ')
    text = (isKeyed ? acceptKeyedStatement : acceptStatement)(shape, further)
    statements.set(kind, text)
  }
  return text
}
