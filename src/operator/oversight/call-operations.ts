// What the operator's endpoints for phone calls accept, return and refuse.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { NullableString, PathText } from '../../kit/contract/schema.js'
import { E164 } from '../../text/number-schema.js'
import { Reason } from '../accounts/account-operations.js'

const STOP_SHARED = {
  tag: 'Operator',
  isExtension: true,
  scope: 'operator',
  params: Type.Object({ number: PathText() }),
  body: Type.Object({ reason: Reason }),
  bodyExample: { reason: 'Toll fraud' },
  reply: Type.Object(
    {
      success: Type.Literal(true),
      phoneNumber: E164(),
      accountId: Type.String(),
      forwardNumber: NullableString,
      isStopped: Type.Boolean(),
    },
    { title: 'ForwardingStop' },
  ),
  failure: { success: false },
  refuses: ['number_missing'],
} as const

const STOPPED = {
  success: true,
  phoneNumber: '+14155550123',
  accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  forwardNumber: null,
  isStopped: true,
}

export const STOP_FORWARDING = operation({
  id: 'operatorStopForwarding',
  summary: 'Stop the call forwarding of a number',
  description:
    'Removes the target. The holder cannot set another one until you allow it again. Every node follows within a second.',
  example: STOPPED,
  ...STOP_SHARED,
})

export const ALLOW_FORWARDING = operation({
  id: 'operatorAllowForwarding',
  summary: 'Allow the call forwarding of a number again',
  description: 'The holder may set a target again. The previous one is not restored.',
  example: { ...STOPPED, isStopped: false },
  ...STOP_SHARED,
})
