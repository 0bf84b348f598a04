// The statement that moves messages: a batch of one account and one kind of move, guarded by the table
// of moves, with its event, its deliveries and, where nothing is charged, its refund, all in one.

import { appendStatusPieces, type EventColumn } from '../../events/append-queries.js'
import { IDS, idOfStem, isAmong, stemOf, suffixOf } from '../../kit/id-queries.js'
import { listed, parametersOf, relation } from '../../kit/postgres/pieces.js'
import { refundPieces } from '../../ledger/charge-messages.js'
import { ENTRIES_MAX, MOVES_MAX } from '../timeline.js'
import { beforePiece, changePiece, LATE_COLUMNS, LATE_MOVED } from './late-move-queries.js'

// Everything but the ids is the same for all messages of the statement, so that it needs no join: the
// ids are looked up in the key, and the size of the batch is all that its cost depends on. New ids are
// made of the moment and the message's own.
export const MOVE_TYPES = {
  ids: IDS,
  first: 'text',
  last: 'text',
  target: 'text',
  source: 'text',
  errorCode: 'integer',
  errorMessage: 'text',
  dueAt: 'timestamptz',
  entry: 'text',
  moment: 'text',
} as const
const given = parametersOf(MOVE_TYPES)

const MOVED = {
  id: 'm.id',
  campaign_id: 'm.campaign_id',
  number: 'm.number',
  sequence: 'm.sequence',
  price: 'm.price_micros',
  stem: stemOf(given.moment, 'm.id'),
  metadata: 'm.metadata',
}

const HAPPENED: Record<EventColumn | 'metadata', string> = {
  id: idOfStem('evt', 'stem', suffixOf('sequence')),
  event_type: `'message.status'`,
  campaign_id: 'campaign_id',
  number: 'number',
  message_id: 'id',
  sequence: 'sequence',
  status: given.target,
  previous_status: given.source,
  error_code: given.errorCode,
  error_message: given.errorMessage,
  data: 'null::jsonb',
  metadata: 'metadata',
}

interface Kind {
  /** What no carrier saw, or charges for. */
  isFree: boolean
  /** The message may be in sums already. */
  isLate: boolean
}

function moveStatement({ isFree, isLate }: Kind): string {
  const columns = isLate ? { ...MOVED, ...LATE_COLUMNS } : MOVED
  return `
  with ${isLate ? `${beforePiece(isAmong('m.id', given.ids, given), given.source)}, ` : ''}moved as (
    update messages m
    set ${isFree ? 'is_refunded = true,' : ''} status = ${given.target}, error_code = ${given.errorCode},
      error_message = ${given.errorMessage}, updated_at = $2,
      sent_at = case when ${given.target} in ('SENT', 'DELIVERED', 'READ')
        then coalesce(m.sent_at, $2) else m.sent_at end,
      due_at = ${given.dueAt}, settle_at = null, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX + MOVES_MAX}
        then m.timeline || ${given.entry} else m.timeline end
    ${isLate ? 'from before' : ''}
    where m.account_id = $1 and ${isLate ? 'm.id = before.id' : isAmong('m.id', given.ids, given)} and m.status = ${given.source}
    returning ${listed(columns)}
  ), happened as (
    select ${listed(HAPPENED)} from moved
  ), ${appendStatusPieces(relation<keyof typeof HAPPENED>('happened'))}${isLate ? `, ${changePiece(LATE_MOVED, given, isFree)}` : ''}${isFree ? `, ${REFUND}` : ''}
  select id, (select count(*)::int from fanned_out) as deliveries from moved`
}

const REFUND = `unpaid as (
    select *, ${idOfStem('trf', 'stem', `'zz'`)} as refund_id from moved
  ), ${refundPieces(relation<keyof typeof MOVED | 'refund_id'>('unpaid'))}`

export const MOVE_STATEMENTS = {
  soon: {
    charged: moveStatement({ isFree: false, isLate: false }),
    free: moveStatement({ isFree: true, isLate: false }),
  },
  late: {
    charged: moveStatement({ isFree: false, isLate: true }),
    free: moveStatement({ isFree: true, isLate: true }),
  },
}
