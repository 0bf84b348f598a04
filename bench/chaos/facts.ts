// The state of the database at one moment, read without the service. The judge compares it with what clients, phones,
// carriers, and receivers saw.

import type { Database, Queryable } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'

export interface MessageFact {
  id: string
  accountId: string
  direction: 'OUTBOUND' | 'INBOUND'
  peer: string
  body: string
  status: string
  errorCode: number | null
  segments: number
  priceMicros: bigint
  /** Refunded in the end. */
  isRefunded: boolean
  automatic: string | null
  /** Kinds of its timeline entries. */
  timeline: string[]
  /** The entries as stored. */
  entries: string[]
}

export interface EventFact {
  id: string
  accountId: string
  eventType: string
  messageId: string | null
  sequence: number | null
  status: string | null
  previousStatus: string | null
  data: { recipient?: string } | null
}

export interface EntryFact {
  accountId: string
  reason: string
  reference: string
  from: string
  to: string
  amountMicros: bigint
}

export interface LedgerFact {
  accountId: string
  ledger: string
  micros: bigint
}

export interface Facts {
  messages: MessageFact[]
  events: EventFact[]
  entries: EntryFact[]
  ledgers: LedgerFact[]
  /** Rows of unfinished work, by kind. */
  leftovers: Map<string, number>
}

/** In one transaction, so a message, its money, and its events are of the same moment, also while the service works. */
export function readFacts(db: Database): Promise<Facts> {
  return db.patient.transaction(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    return readAll(tx)
  })
}

async function readAll(tx: Queryable): Promise<Facts> {
  const messages = await tx.query<Omit<MessageFact, 'timeline'>>(sql`
    select id, account_id as "accountId", direction, peer, body, status, error_code as "errorCode",
      num_segments as segments, price_micros as "priceMicros", is_refunded as "isRefunded",
      automatic, timeline as entries
    from messages order by id`)
  const events = await tx.query<EventFact>(sql`
    select id, account_id as "accountId", event_type as "eventType", message_id as "messageId",
      sequence, status, previous_status as "previousStatus", data
    from events order by id`)
  const entries = await tx.query<EntryFact>(sql`
    select account_id as "accountId", reason, reference, from_ledger as "from", to_ledger as "to",
      amount_micros as "amountMicros"
    from ledger_entries order by id`)
  const ledgers = await tx.query<LedgerFact>(sql`
    select account_id as "accountId", ledger, balance_micros as micros from ledger_balances`)
  return {
    messages: messages.map((message) => ({
      ...message,
      timeline: message.entries.map((line) => line.split('|')[1]!),
    })),
    events,
    entries,
    ledgers,
    leftovers: await readLeftovers(tx),
  }
}

/**
 * Unfinished work, which all finishes automatically. The simulator forgets its receipts when its process is killed, and
 * some of its numbers never get one.
 */
export async function readLeftovers(db: Queryable): Promise<Map<string, number>> {
  const [row] = await db.query<Record<string, number>>(sql`
    select
      (select count(*) from messages where status in ('QUEUED', 'SCHEDULED')
        and settle_at is null)::int as queued,
      (select count(*) from messages where status = 'SENT' and direction = 'OUTBOUND'
        and peer not like '+1206%'
        and not exists (select from unnest(timeline) as entry where entry like '%|settled|%'
          or entry like '%|matched|%'))::int as "without receipt",
      (select count(*) from messages where settle_at is not null)::int as unsettled,
      (select count(*) from handoffs)::int as handoffs,
      (select count(*) from submits)::int as submits,
      (select count(*) from event_deliveries where state = 'pending')::int as deliveries,
      (select count(*) from delivery_batches)::int as "batches of deliveries"`)
  return new Map(Object.entries(row!))
}
