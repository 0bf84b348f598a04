// The final state of the database, read without the service. The judge compares it with the journal.

import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { findDrift } from '../../src/ledger/ledger-queries.js'
import type { Status } from '../../src/messages/message-state.js'

export interface MessageFact {
  id: string
  accountId: string
  direction: 'OUTBOUND' | 'INBOUND'
  peer: string
  body: string
  status: Status
  errorCode: number | null
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
  status: Status | null
  previousStatus: Status | null
}

export interface EntryFact {
  accountId: string
  reason: string
  reference: string
  /** Positive for entries to the wallet. */
  amountMicros: bigint
}

export interface Facts {
  messages: MessageFact[]
  events: EventFact[]
  entries: EntryFact[]
  wallets: Map<string, bigint>
  /** Ledgers that are not the sum of their entries. */
  drift: number
  /** Rows of unfinished work, by kind. */
  leftovers: Map<string, number>
}

export async function readFacts(db: Database): Promise<Facts> {
  const messages = await db.patient.query<Omit<MessageFact, 'timeline'>>(sql`
    select id, account_id as "accountId", direction, peer, body, status, error_code as "errorCode",
      price_micros as "priceMicros", is_refunded as "isRefunded", automatic, timeline as entries
    from messages order by id`)
  const events = await db.patient.query<EventFact>(sql`
    select id, account_id as "accountId", event_type as "eventType", message_id as "messageId",
      sequence, status, previous_status as "previousStatus"
    from events order by id`)
  const entries = await db.patient.query<EntryFact>(sql`
    select account_id as "accountId", reason, reference,
      case when to_ledger = 'wallet' then amount_micros else -amount_micros end as "amountMicros"
    from ledger_entries where 'wallet' in (from_ledger, to_ledger) order by id`)
  const wallets = await db.patient.query<{ accountId: string; micros: bigint }>(sql`
    select account_id as "accountId", balance_micros as micros from ledger_balances
    where ledger = 'wallet'`)
  return {
    messages: messages.map((message) => ({
      ...message,
      timeline: message.entries.map((line) => line.split('|')[1]!),
    })),
    events,
    entries,
    wallets: new Map(wallets.map(({ accountId, micros }) => [accountId, micros])),
    drift: (await findDrift(db.patient)).length,
    leftovers: await readLeftovers(db),
  }
}

/** Unfinished work, which all finishes automatically. */
export async function readLeftovers(db: Database): Promise<Map<string, number>> {
  const [row] = await db.patient.query<Record<string, number>>(sql`
    select
      (select count(*) from messages where status in ('QUEUED', 'SCHEDULED'))::int as queued,
      (select count(*) from messages where status = 'SENT' and direction = 'OUTBOUND'
        and not exists (select from unnest(timeline) as entry where entry like '%|settled|%'
          or entry like '%|matched|%'))::int as "without receipt",
      (select count(*) from messages where settle_at is not null)::int as unsettled,
      (select count(*) from handoffs)::int as handoffs,
      (select count(*) from submits)::int as submits,
      (select count(*) from event_deliveries where state = 'pending')::int as deliveries`)
  return new Map(Object.entries(row!))
}
