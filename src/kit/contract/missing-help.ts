// What lies behind refusals of records that do not exist: part of refusal-help.ts.

import type { RefusalCode } from './refusal.js'
import type { Explanation } from './refusal-help.js'

export const MISSING_HELP = {
  brand_missing: {
    cause: 'The account has no brand with this id.',
    remedy: 'Take an id from `GET /v1/brand/list`.',
  },
  campaign_missing: {
    cause: 'The account has no campaign with this id.',
    remedy: 'Take an id from `GET /v1/campaign/list`.',
  },
  message_missing: {
    cause: 'The account has no message with this id.',
    remedy: 'Use the `id` that the send answered, or one from `GET /v1/message/search`.',
  },
  number_missing: {
    cause: 'The account has no such number, or the path does not hold a number.',
    remedy: 'Write it with country code, digits only: `14155550123`.',
  },
  carrier_link_missing: {
    cause: 'No process with the `dispatch` role reports a carrier link with this name.',
    remedy: 'Use a name from `GET /operator/v1/carrier/list` or `longcode carrier status`.',
  },
  webhook_missing: {
    cause: 'The account has no webhook with this id, or it was deleted.',
    remedy: 'Take an id from `GET /v1/webhook/list`.',
  },
  delivery_missing: {
    cause: 'The webhook has no delivery with this id; records are kept for 30 days.',
    remedy: 'Take an id from `GET /v1/webhook/{id}/deliveries`.',
  },
  optout_missing: {
    cause: 'The recipient has not opted out of this campaign.',
    remedy: 'Nothing needs to be done: the recipient can be written to.',
  },
  media_missing: {
    cause: 'There is no media file at this address, or its time of keeping has ended.',
    remedy: 'Fetch media soon after the message came in.',
  },
} as const satisfies Partial<Record<RefusalCode, Explanation>>
