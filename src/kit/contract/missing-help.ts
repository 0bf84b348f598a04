// Explanations for records that do not exist: part of refusal-help.ts.

import type { RefusalCode } from './refusal.js'
import type { Explanation } from './refusal-help.js'

export const MISSING_HELP = {
  brand_missing: {
    cause: 'The account has no brand with this ID.',
    remedy: 'Use an ID from `GET /v1/brand/list`.',
  },
  campaign_missing: {
    cause: 'The account has no campaign with this ID.',
    remedy: 'Use an ID from `GET /v1/campaign/list`.',
  },
  message_missing: {
    cause: 'The account has no message with this ID.',
    remedy: 'Use the `id` from the response to the send, or one from `GET /v1/message/search`.',
  },
  number_missing: {
    cause: 'The account does not have this number, or the path is not a number.',
    remedy: 'Use digits only, with the country code: `14155550123`.',
  },
  carrier_link_missing: {
    cause: 'No process with the `dispatch` role reports a carrier link with this name.',
    remedy: 'Use a name from `GET /operator/v1/carrier/list` or `longcode carrier status`.',
  },
  webhook_missing: {
    cause: 'The account has no webhook with this ID, or it was deleted.',
    remedy: 'Use an ID from `GET /v1/webhook/list`.',
  },
  delivery_missing: {
    cause: 'The webhook has no delivery with this ID. Deliveries are stored for 30 days.',
    remedy: 'Use an ID from `GET /v1/webhook/{id}/deliveries`.',
  },
  optout_missing: {
    cause: 'The recipient has not opted out of this campaign.',
    remedy: 'Nothing to do. The recipient can receive messages.',
  },
  conversation_missing: {
    cause: 'The campaign has no messages with this number, or the path is not a number.',
    remedy: 'Use digits only, with the country code: `14155550123`.',
  },
  note_missing: {
    cause: 'The conversation has no note with this ID, or it was deleted.',
    remedy: 'Use an ID from `GET /v1/campaign/{id}/conversations/{number}/notes`.',
  },
  contact_missing: {
    cause: 'The account has no contact with this number.',
    remedy: 'Create it with `PUT /v1/contact/{number}`.',
  },
  saved_reply_missing: {
    cause: 'The account has no saved reply with this ID, or it was deleted.',
    remedy: 'Use an ID from `GET /v1/saved-reply/list`.',
  },
  media_missing: {
    cause: 'No media file exists at this URL, or it was deleted after its retention period.',
    remedy: 'Download media soon after the message arrives.',
  },
} as const satisfies Partial<Record<RefusalCode, Explanation>>
