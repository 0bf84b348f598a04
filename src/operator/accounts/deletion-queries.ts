// The tables that a deletion empties. The one place that names the tables of other rooms: a deletion
// needs to know nothing of a row but whose it is. A test holds the two lists against the schema, so a
// table that is added later cannot be forgotten.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'

/** Those that refer to others come before them. */
export const DELETED_TABLES = [
  'webhook_attempts',
  'event_deliveries',
  'event_arrivals',
  'events',
  'event_subscriptions',
  'webhooks',
  'media',
  'media_fetches',
  'media_files',
  'submits',
  'messages',
  'usage_changes',
  'usage_counts',
  'usage_sums',
  'usage_totals',
  'open_counts',
  'usage_progress',
  'lanes',
  'optouts',
  'handoffs',
  'optout_changes',
  'numbers',
  'campaign_profiles',
  'campaign_endings',
  'campaigns',
  'brands',
  'smpp_parts',
  'smpp_binds',
  'smpp_systems',
  'access_tokens',
  'idempotency_keys',
  'prices',
  'low_balance_alerts',
  'forwarding_limits',
  'forwarding_stops',
  'number_calls',
  'call_records',
  'call_accounts',
] as const

/** Amounts and acts stay: the books must add up, and who did what must be known. */
export const KEPT_TABLES = [
  'accounts',
  'account_ledgers',
  'ledger_transfers',
  'ledger_notes',
  'ledger_closings',
  'ledger_days',
  'audit_log',
  'carrier_messages', // ids of a carrier, of nobody's words or numbers, and gone within two weeks anyway
  'rented_numbers', // each row goes when its provider has the number back
  'registrations', // ids alone; each row goes once its record is found gone, a campaign's once it has ended at its provider
  'account_retention', // its row goes when everything else is gone
] as const

/** A portion of one table. Says how many rows it was. */
export async function deleteRows(
  db: Queryable,
  table: (typeof DELETED_TABLES)[number],
  accountId: AccountId,
  limit: number,
): Promise<number> {
  // Where a table lies by a key of its own, an account's rows are on several machines of a cluster, and a ctid names one on each.
  const key = raw(table === 'media' ? 'id' : 'ctid')
  const rows = await db.query(sql`
    delete from ${raw(table)} where ${key} = any (array(
      select ${key} from ${raw(table)} where account_id = ${accountId} limit ${limit}))
    and account_id = ${accountId}
    returning 1`)
  return rows.length
}
