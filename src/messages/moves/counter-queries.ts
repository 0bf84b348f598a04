// What messages add to the counters, in the statements that write them: a row of usage_changes for each batch, by
// hour of creation, campaign, route, status, and error. Nothing is updated, so no batch waits for another. The
// schedule role adds these rows to the counters (usage/sum-usage.ts). Until then, reports read them next to the
// counters.

import { listed, type Relation, relation } from '../../kit/postgres/pieces.js'
import { fromTenantRow } from '../../kit/tenant-queries.js'
import { carrierOf, ROUTES } from '../lane.js'

/**
 * Delivery times are counted in steps, each 5% longer than the last: the logarithm of the seconds, with this many
 * steps to a factor of e. A median needs no more, and sorting every time would dominate the cost.
 */
export const STEPS_PER_E = 20
/** Stored if the step is unknown. */
export const NO_STEP = -32768

/** The column of a relation that holds a route. */
function carrierIn(route: string): string {
  const cases = ROUTES.map((one) => `when '${one}' then '${carrierOf(one)}'`)
  return `case ${route} ${cases.join(' ')} end`
}

/** For a message `m`. */
export const CARRIER = carrierIn('m.route')
export const HOUR = `date_bin('1 hour', m.created_at, timestamptz 'epoch')`
/**
 * The carrier's delivery time is known for messages that are DELIVERED and not yet read, because updated_at is then
 * the time of the receipt. It is unknown if the receipt came before our own record of the submit.
 */
export const STEP = `case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * ${STEPS_PER_E})::smallint
    else (${NO_STEP})::smallint end`

/** What a move returns for the counters. `from_step` is known only if the message was DELIVERED before. */
export const COUNTED_COLUMNS = { route: 'm.route', start: HOUR, to_step: STEP }
export const FROM_STEP = 'before.step'
export const NO_FROM_STEP = `(${NO_STEP})::smallint`

/** The messages about to move, locked, so the values read are the values changed. */
export function beforePiece(isMoved: string, isFrom: string): string {
  return `before as materialized (
    select m.id, ${STEP} as step from messages m
    where m.account_id = $1 and ${isMoved} and ${isFrom}
    order by m.id for update
  )`
}

type Moved =
  | 'id'
  | 'sequence'
  | 'campaign_id'
  | 'price'
  | 'from_step'
  | keyof typeof COUNTED_COLUMNS

export const MOVED_COUNTS = relation<Moved>('moved')

/** What a move does with the price of its message. */
export type Money = 'none' | 'refund' | 'recharge'

/** Counts moved messages: how many went from one status to another. */
export function changePiece(
  moved: Relation<Moved>,
  columns: Record<'source' | 'target' | 'errorCode', string>,
  money: Money,
): string {
  return insertPiece(
    {
      sequence: 'sequence',
      start: 'start',
      from_status: columns.source,
      from_step: 'from_step',
      to_status: columns.target,
      to_error: `coalesce(${columns.errorCode}, 0)`,
      to_step: 'to_step',
      refunded_micros: { none: '0', refund: 'sum(price)', recharge: '-sum(price)' }[money],
    },
    moved.name,
    ['sequence', 'start', 'from_step', 'to_step'],
  )
}

/** Counts messages accepted at $2: as QUEUED, or as SCHEDULED if they have `scheduled_at`. */
export function acceptedPiece(
  accepted: Relation<'id' | 'campaign_id' | 'route' | 'segments' | 'price'>,
  isScheduled: boolean,
): string {
  const later = 'scheduled_at is not null'
  return insertPiece(
    {
      sequence: '0',
      start: `date_bin('1 hour', $2::timestamptz, timestamptz 'epoch')`,
      from_status: 'null::text',
      from_step: `${NO_STEP}`,
      to_status: isScheduled ? `case when ${later} then 'SCHEDULED' else 'QUEUED' end` : `'QUEUED'`,
      to_error: '0',
      to_step: `${NO_STEP}`,
      segments: 'sum(segments)',
      refunded_micros: '-sum(price)',
    },
    accepted.name,
    isScheduled ? [later] : [],
  )
}

function insertPiece(own: Record<string, string>, source: string, further: string[]): string {
  const groups = ['own.account_id', 'campaign_id', 'route', ...further]
  const columns = {
    account_id: 'own.account_id',
    message_id: 'min(id)',
    campaign_id: 'campaign_id',
    route: 'route',
    carrier: carrierIn('route'),
    count: 'count(*)',
    ...own,
  }
  return `counted as (
    insert into usage_changes (${Object.keys(columns).join(', ')})
    select ${listed(columns)}
    from ${fromTenantRow(source)}
    group by ${groups.join(', ')}
  )`
}

/** What rows of usage_changes `m` mean for counts: fewer in one place, more in another. */
export const SIGNED_CHANGES = `cross join lateral (values (m.from_status, 0, m.from_step, -m.count),
      (m.to_status, m.to_error, m.to_step, m.count)) as c (status, error_code, step, count)`
