// Requests, responses, and errors of the operator's endpoints for phone calls.

import { Type } from 'typebox'
import { IsoTime } from '../../kit/contract/iso-time.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdText,
  Noun,
  NullableString,
  PathText,
  pageQueryWith,
  Timestamp,
} from '../../kit/contract/schema.js'
import { E164, PhoneQuery } from '../../text/number-schema.js'
import { CALL_OUTCOMES } from '../../voice/records/call-record.js'
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
    'Removes the target. The holder cannot set another one until you allow it again. It applies on every node within a second.',
  example: STOPPED,
  ...STOP_SHARED,
})

export const ALLOW_FORWARDING = operation({
  id: 'operatorAllowForwarding',
  summary: 'Allow the call forwarding of a number again',
  description: 'The holder can set a target again. The previous one is not restored.',
  example: { ...STOPPED, isStopped: false },
  ...STOP_SHARED,
})

const CallShape = Noun('Call', {
  id: Type.String(),
  at: Timestamp,
  accountId: Type.String(),
  phoneNumber: E164(),
  trunk: Type.String(),
  callId: Type.String({ description: 'The SIP Call-ID, at most 255 characters of it' }),
  outcome: Type.Enum([...CALL_OUTCOMES], { title: 'CallOutcome' }),
  caller: {
    ...NullableString,
    description: 'Only while LONGCODE_CALLER_DAYS stores it, and if the call named a number',
  },
  price: Type.Number({ description: 'Dollars charged' }),
})

export const SEARCH_CALLS = operation({
  id: 'operatorSearchCalls',
  tag: 'Operator',
  summary: 'List call records, newest first',
  description:
    'One record for each call that reached a number of an account over SIP, within seconds. Calls over a limit are counted, not recorded. Kept for LONGCODE_CALL_RECORD_DAYS.',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    account: Type.Optional(IdText({ description: 'Only calls to numbers of this account' })),
    number: Type.Optional(PhoneQuery({ description: 'Only calls to this number' })),
    trunk: Type.Optional(IdText({ description: 'Only calls from this trunk' })),
    callId: Type.Optional(Type.String({ maxLength: 255, description: 'Only with this Call-ID' })),
    since: Type.Optional(IsoTime('At or after this time')),
    until: Type.Optional(IsoTime('Before this time')),
  }),
  reply: Type.Object({ calls: Type.Array(CallShape), hasMore: HasMore }),
  example: {
    calls: [
      {
        id: 'cal_01km3v9w8m0000pqv3t5x7z9bd',
        at: '2026-11-15T12:00:00.000Z',
        accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
        phoneNumber: '+14155550123',
        trunk: 'acme',
        callId: '843817637684230@198.51.100.7',
        outcome: 'forwarded',
        caller: null,
        price: 0.005,
      },
    ],
    hasMore: false,
  },
  failure: { calls: [] },
})
