// Quotas in responses, for the account and for operators.

import { Type } from 'typebox'
import { QUOTA_NAMES, QUOTAS } from '../accounts/quota.js'
import { Noun } from '../kit/contract/schema.js'

const NullableWhole = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

export const QUOTA_FIELDS = {
  name: Type.Enum([...QUOTA_NAMES], {
    description:
      '`queuedMessages`: messages that wait to be sent, including scheduled ones. `storedMessages`: sent and received messages that are not deleted. `mediaBytes`: uploads, and files of messages. `webhooks`: of all campaigns',
  }),
  unit: Type.Enum(['message', 'byte', 'webhook']),
  used: {
    ...NullableWhole,
    description: 'null: not counted yet, in the first hours after an upgrade',
  },
  limit: { ...NullableWhole, description: 'null: no limit' },
  code: Type.Enum(
    QUOTA_NAMES.map((name) => QUOTAS[name].code),
    { description: 'What requests above the limit are refused with' },
  ),
}

export const QuotaShape = Noun('Quota', QUOTA_FIELDS)

export const QUOTAS_EXAMPLE = [
  { name: 'queuedMessages', unit: 'message', used: 312, limit: 100_000, code: 'queue_full' },
  { name: 'storedMessages', unit: 'message', used: 48_120, limit: null, code: 'messages_full' },
  { name: 'mediaBytes', unit: 'byte', used: 214_880, limit: 5_000_000_000, code: 'media_full' },
  { name: 'webhooks', unit: 'webhook', used: 3, limit: 50, code: 'webhooks_full' },
]
