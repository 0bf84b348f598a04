// Every status column of the database with the values that the program knows, for tests that cover all of them.

import { ACCOUNT_STATUSES } from '../src/accounts/account.js'
import { BRAND_STATUSES } from '../src/brands/brand-state.js'
import { REGISTRATION_KINDS, REGISTRATION_STATES } from '../src/brands/registration.js'
import { CAMPAIGN_STATUSES } from '../src/campaigns/campaign-state.js'
import { DELIVERY_STATES } from '../src/events/event.js'
import { CONVERSATION_STATUSES } from '../src/inbox/conversation.js'
import { RECEIPT_STATUSES } from '../src/messages/carrier-port.js'
import { EXPORT_STATUSES } from '../src/messages/exports/message-export.js'
import { STATUSES } from '../src/messages/message-state.js'
import { NUMBER_STATUSES } from '../src/numbers/number.js'
import { TASK_PHASES } from '../src/numbers/provider-number-queries.js'
import { PHASES } from '../src/termination/termination.js'
import { CALL_OUTCOMES } from '../src/voice/records/call-record.js'

export const STATUS_LISTS: Readonly<Record<string, readonly string[]>> = {
  'accounts.status': ACCOUNT_STATUSES,
  'brands.status': BRAND_STATUSES,
  'call_records.outcome': CALL_OUTCOMES,
  'campaign_endings.phase': PHASES,
  'campaigns.status': CAMPAIGN_STATUSES,
  'conversations.status': CONVERSATION_STATUSES,
  'event_deliveries.state': DELIVERY_STATES,
  'message_exports.status': EXPORT_STATUSES,
  'messages.status': STATUSES,
  'numbers.status': NUMBER_STATUSES,
  'open_counts.status': STATUSES,
  'registrations.kind': REGISTRATION_KINDS,
  'registrations.state': REGISTRATION_STATES,
  'rented_numbers.phase': TASK_PHASES,
  'unmatched_receipts.status': RECEIPT_STATUSES,
  'usage_counts.status': STATUSES,
  'usage_totals.status': STATUSES,
}
