// Charges and refunds of messages, as pieces of SQL that run inside the statement that writes or moves the
// messages.

import { idWithPrefix } from '../kit/id-queries.js'
import type { Relation } from '../kit/postgres/pieces.js'
import { fromTenantRow } from '../kit/tenant-queries.js'

type PricedColumn = 'id' | 'campaign_id' | 'price'

/**
 * Debits the wallet by the sum. If the balance is too low, the row's constraint refuses the whole statement.
 * Creates one transfer per campaign, which lists the price of each message. Its ID is derived from the first
 * message's ID, and the entries' IDs from theirs. The messages must share one millisecond.
 */
export function chargePieces({ name: source }: Relation<PricedColumn>): string {
  return `
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from ${source}) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, ${idWithPrefix('trf', 'min(id)')}, 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from ${fromTenantRow(source, 'price > 0')}
      group by own.account_id, campaign_id
    )`
}

/**
 * Refunds the price. `refund_id` is the ID of the new transfer. The reference is unique, so a message cannot
 * be refunded twice.
 */
export function refundPieces({ name: source }: Relation<PricedColumn | 'refund_id'>): string {
  return `
    returned as (
      update account_ledgers set wallet_micros = wallet_micros + due.micros,
        messages_micros = messages_micros - due.micros
      from (select sum(price)::bigint as micros from ${source}) due
      where account_id = $1 and due.micros > 0
    ), refunded as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at)
      select own.account_id, refund_id, 'message_refund', 'refund:' || id, 'messages', 'wallet', price,
        campaign_id, $2
      from ${fromTenantRow(source, 'price > 0')}
    )`
}
