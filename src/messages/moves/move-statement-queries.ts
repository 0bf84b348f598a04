// The statement that moves messages: a batch of one account and one kind of move, guarded by the table of moves,
// with its event, its deliveries, its counter changes, and, if nothing is charged, its refund. It returns one row: the messages that
// moved, and the deliveries that it leased, each list as one text. A row for each of them costs the driver several microseconds.

import {
  appendStatusPieces,
  type EventColumn,
  LEASED_DELIVERIES,
  QUEUED_COUNT,
} from '../../events/append-queries.js'
import { IDS, idBodyOf, idOfBody, isAmong, suffixOf } from '../../kit/id-queries.js'
import { listed, parametersOf, relation } from '../../kit/postgres/pieces.js'
import { refundPieces } from '../../ledger/charge-messages.js'
import { ENTRIES_MAX, MOVES_MAX } from '../timeline.js'
import {
  beforePiece,
  COUNTED_COLUMNS,
  changePiece,
  FROM_STEP,
  MOVED_COUNTS,
  type Money,
  NO_FROM_STEP,
} from './counter-queries.js'

// Everything except the IDs and notes is the same for all messages of the statement, so it needs no join: the IDs are
// looked up by key, and its cost depends only on the size of the batch. New IDs are made from the time and the
// message's own ID.
export const MOVE_TYPES = {
  ids: IDS,
  first: 'text',
  last: 'text',
  target: 'text',
  source: 'text',
  errorCode: 'integer',
  errorMessage: 'text',
  dueAt: 'timestamptz',
  unprovenAt: 'timestamptz',
  entry: 'text',
  notes: 'jsonb',
  moment: 'text',
  subscriberIds: 'text[]',
  batchIds: 'text[]',
  leaseUntil: 'timestamptz',
} as const
const parameters = parametersOf(MOVE_TYPES)

/** With what only this message's entry has, by its ID. */
const ENTRY = `(${parameters.entry} || coalesce(${parameters.notes} ->> m.id, ''))`

const MOVED = {
  id: 'm.id',
  campaign_id: 'm.campaign_id',
  number: 'm.number',
  sequence: 'm.sequence',
  price: 'm.price_micros',
  unknown_link: 'm.unknown_link',
  stem: idBodyOf(parameters.moment, 'm.id'),
  metadata: 'm.metadata',
  ...COUNTED_COLUMNS,
}

const HAPPENED: Record<EventColumn | 'metadata', string> = {
  id: idOfBody('evt', 'stem', suffixOf('sequence')),
  event_type: `'message.status'`,
  campaign_id: 'campaign_id',
  number: 'number',
  message_id: 'id',
  sequence: 'sequence',
  status: parameters.target,
  previous_status: parameters.source,
  error_code: parameters.errorCode,
  error_message: parameters.errorMessage,
  data: 'null::jsonb',
  metadata: 'metadata',
}

interface Kind {
  money: Money
  /** Only those that are SENT and refunded, or all others. A recharge charges them in the same transaction. */
  isRefunded: boolean
  /** The message was DELIVERED. Its delivery time no longer counts. */
  isTimed: boolean
}

const IS_REFUNDED: Record<Money, string> = {
  none: '',
  refund: 'is_refunded = true,',
  recharge: 'is_refunded = false,',
}

/** A message that is SENT and refunded is moved only by statements that handle its money. */
function isFromPiece(isRefunded: boolean): string {
  const isMeant = isRefunded ? 'm.is_refunded' : `(not m.is_refunded or m.status <> 'SENT')`
  return `m.status = ${parameters.source} and ${isMeant}`
}

function moveStatement({ money, isRefunded, isTimed }: Kind): string {
  const columns = { ...MOVED, from_step: isTimed ? FROM_STEP : NO_FROM_STEP }
  return `
  with ${isTimed ? `${beforePiece(isAmong('m.id', parameters.ids, parameters), isFromPiece(isRefunded))}, ` : ''}moved as (
    update messages m
    set ${IS_REFUNDED[money]} status = ${parameters.target}, error_code = ${parameters.errorCode},
      error_message = ${parameters.errorMessage}, updated_at = $2,
      sent_at = case when ${parameters.target} in ('SENT', 'DELIVERED', 'READ')
        then coalesce(m.sent_at, $2) else m.sent_at end,
      due_at = ${parameters.dueAt}, settle_at = null, unproven_at = ${parameters.unprovenAt}, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX + MOVES_MAX}
        then m.timeline || ${ENTRY} else m.timeline end
    ${isTimed ? 'from before' : ''}
    where m.account_id = $1 and ${isTimed ? 'm.id = before.id' : isAmong('m.id', parameters.ids, parameters)} and ${isFromPiece(isRefunded)}
    returning ${listed(columns)}
  ), happened as (
    select ${listed(HAPPENED)} from moved
  ), ${appendStatusPieces(relation<keyof typeof HAPPENED>('happened'), parameters)}, ${changePiece(MOVED_COUNTS, parameters, money)}${money === 'refund' ? `, ${REFUND}` : ''}
  select (select string_agg(id, ' ') from moved) as moved,
    (select string_agg(id, ' ') from moved where unknown_link is not null) as unnamed,
    ${QUEUED_COUNT} as deliveries, (${LEASED_DELIVERIES}) as leased`
}

const REFUND = `unpaid as (
    select *, ${idOfBody('trf', 'stem', `'zz'`)} as refund_id from moved
  ), ${refundPieces(relation<keyof typeof MOVED | 'refund_id'>('unpaid'))}`

function statementsOf(isTimed: boolean) {
  const of = (money: Money, isRefunded: boolean) => moveStatement({ money, isRefunded, isTimed })
  return {
    charged: of('none', false),
    free: of('refund', false),
    recharged: of('recharge', true),
    /** It stays refunded. */
    forgiven: of('none', true),
  }
}

export const MOVE_STATEMENTS = { untimed: statementsOf(false), timed: statementsOf(true) }
