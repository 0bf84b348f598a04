// Two fields of a campaign with an unpaid renewal or a suspension, present only while they apply.

import { Type } from 'typebox'
import { Timestamp } from '../kit/contract/schema.js'
import type { Campaign } from './campaign.js'

export const OWING_FIELDS = {
  graceUntil: Type.Optional(
    Type.Unsafe<string>({
      ...Timestamp,
      description:
        'When the campaign is suspended because its renewal is unpaid; absent while it is paid. Extension (not in the contract)',
    }),
  ),
  suspendedFor: Type.Optional(
    Type.Enum(['operator', 'registry', 'renewal'], {
      description: 'Why it is SUSPENDED; absent in other states. Extension (not in the contract)',
    }),
  ),
}

export function wireOwing({ graceUntil, suspendedFor }: Campaign) {
  return {
    ...(graceUntil && { graceUntil: graceUntil.toISOString() }),
    ...(suspendedFor && { suspendedFor }),
  }
}
