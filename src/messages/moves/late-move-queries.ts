// Messages are summed by the hour once the hour is well over (usage/sum-queries.ts). A move of a message that old
// says in the same statement what it changes of a sum, so that sums are right at every moment; a move of any other
// message writes nothing for it.

import { besideOwn } from '../../accounts/own-row-queries.js'
import { idFloor } from '../../kit/ids.js'
import { listed, type Relation, relation } from '../../kit/postgres/pieces.js'
import { carrierOf, ROUTES } from '../lane.js'

/** Older messages may be summed already. Half of what no transaction is open for: clocks differ a little. */
const LATE_MS = 30 * 60 * 1000

/** Ids below are of messages that may be summed at this time. */
export function lateFloor(now: Date): string {
  return idFloor('msg', new Date(Math.max(0, now.getTime() - LATE_MS)))
}

/**
 * Delivery times are counted by size, each step 5 % longer than the last: the logarithm of the seconds, so
 * many steps to a factor of e. A median needs no more, and sorting every time would take longer than all else.
 */
export const STEPS_PER_E = 20
/** In place of a step where none is known. */
export const NO_STEP = -32768

/** Of a message `m`. */
export const CARRIER = `case m.route ${ROUTES.map(
  (route) => `when '${route}' then '${carrierOf(route)}'`,
).join(' ')} end`
export const HOUR = `date_bin('1 hour', m.created_at, timestamptz 'epoch')`
/**
 * How long the carrier took is known of what is DELIVERED and not yet read, for updated_at is then its
 * receipt's; and not where the receipt came before our own record of the submit, which then has its time.
 */
export const STEP = `case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * ${STEPS_PER_E})::smallint
    else (${NO_STEP})::smallint end`

/** What a late move returns besides what every move does; `before` is the message as it was. */
export const LATE_COLUMNS = {
  start: HOUR,
  carrier: CARRIER,
  from_step: 'before.step',
  to_step: STEP,
}

/** The messages that are about to move, locked, so that what is known of them is what is changed. */
export function beforePiece(isMoved: string, isFrom: string): string {
  return `before as materialized (
    select m.id, ${STEP} as step from messages m
    where m.account_id = $1 and ${isMoved} and ${isFrom}
    order by m.id for update
  )`
}

/** What a move does with the price of its message. */
export type Money = 'none' | 'refund' | 'recharge'

type Moved = 'id' | 'sequence' | 'campaign_id' | 'price' | keyof typeof LATE_COLUMNS

/** Writes down what becomes of the sums. The parameters are those of the statement around it. */
export function changePiece(
  moved: Relation<Moved>,
  given: Record<'source' | 'target' | 'errorCode', string>,
  money: Money,
): string {
  const columns = {
    account_id: 'own.account_id',
    message_id: 'min(id)',
    sequence: 'sequence',
    start: 'start',
    campaign_id: 'campaign_id',
    carrier: 'carrier',
    from_status: given.source,
    from_step: 'from_step',
    to_status: given.target,
    to_error: `coalesce(${given.errorCode}, 0)`,
    to_step: 'to_step',
    count: 'count(*)',
    refunded_micros: { none: '0', refund: 'sum(price)', recharge: '-sum(price)' }[money],
  }
  return `changed as (
    insert into usage_changes (${Object.keys(columns).join(', ')})
    select ${listed(columns)}
    from ${besideOwn(moved.name)}
    group by own.account_id, sequence, start, campaign_id, carrier, from_step, to_step
  )`
}

export const LATE_MOVED = relation<Moved>('moved')
