// The tables that a deletion empties. This is the only file that names tables of other modules: a deletion needs to know
// only which account a row belongs to. A test compares the two lists with the schema, so a new table cannot be
// forgotten.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'

/** A table comes before the tables it refers to. */
export const DELETED_TABLES = [
  'delivery_batches', // first: what is in one can still become a row of the others
  'webhook_attempts',
  'event_deliveries',
  'event_arrivals',
  'events',
  'event_subscriptions',
  'webhooks',
  'media',
  'media_fetches',
  'media_files',
  'media_totals',
  'message_export_parts',
  'message_exports',
  'submits',
  'traces',
  'messages',
  'usage_changes',
  'usage_counts',
  'usage_sums',
  'usage_totals',
  'open_counts',
  'usage_progress',
  'stored_counts',
  'lanes',
  'conversations',
  'conversation_notes',
  'contacts',
  'saved_replies',
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
  'twilio_credentials',
  'account_brandings',
  'access_tokens',
  'idempotency_keys',
  'prices',
  'low_balance_alerts',
  'alerts',
  'alert_settings',
  'emails',
  'forwarding_limits',
  'forwarding_stops',
  'number_calls',
  'call_records',
  'call_accounts',
  'memberships',
  'invitations',
] as const

/** Amounts and audit entries stay: the ledger must add up, and the audit log must be complete. */
export const KEPT_TABLES = [
  'accounts',
  'account_ledgers',
  'ledger_transfers',
  'ledger_notes',
  'ledger_closings',
  'ledger_days',
  'audit_log',
  'carrier_ids', // only carrier ids, no texts or numbers; deleted within two weeks anyway
  'carrier_messages', // the same of the previous version
  'rented_numbers', // each row is deleted once the provider has the number back
  'registrations', // only ids; each row is deleted once its record is gone, a campaign's once it has ended at the provider
  'user_sessions', // without a role in the account, a session shows nothing of it
  'account_retention', // deleted last
] as const

/** Deletes a batch of one table. Returns the number of rows. */
export async function deleteRows(
  db: Queryable,
  table: (typeof DELETED_TABLES)[number],
  accountId: AccountId,
  limit: number,
): Promise<number> {
  // In a table distributed by another key, an account's rows are on several workers, and a ctid matches a row on each.
  const key = raw(table === 'media' ? 'id' : 'ctid')
  const rows = await db.query(sql`
    delete from ${raw(table)} where ${key} = any (array(
      select ${key} from ${raw(table)} where account_id = ${accountId} limit ${limit}))
    and account_id = ${accountId}
    returning 1`)
  return rows.length
}
