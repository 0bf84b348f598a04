// Requests, responses, and errors of the operator's account endpoints.

import { type TSchema, Type } from 'typebox'
import { ACCOUNT_STATUSES } from '../../accounts/account.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  OptionalText,
  pageQueryWith,
  RequiredText,
} from '../../kit/contract/schema.js'
import { OPERATED_ACCOUNT_EXAMPLE, OperatedAccountShape } from './account-wire.js'
import { RECORD_DAYS_MAX, RECORD_DAYS_MIN } from './retention-queries.js'

const Days = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 36_500,
    title: 'KeptDays',
    description: 'Days; null: for as long as the account exists',
    'x-expects': 'must be a whole number of days, 1 or more, or null',
  }),
)

const RecordDays = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: RECORD_DAYS_MIN,
    maximum: RECORD_DAYS_MAX,
    title: 'RecordDays',
    description:
      'Days after which whole messages are deleted; charges stay. null: messages are kept',
    'x-expects': `must be a whole number of days from ${RECORD_DAYS_MIN} to ${RECORD_DAYS_MAX}, or null`,
  }),
)

const RETENTION = {
  messageRetentionDays: Days,
  mediaRetentionDays: Days,
  recordRetentionDays: RecordDays,
}

export const Reason = RequiredText(500, {
  description: 'Reason, for the audit log',
  'x-also': ['note', 'comment'],
})

const AccountReply = Type.Object(
  { success: Type.Literal(true), account: OperatedAccountShape },
  { title: 'OperatedAccountReply' },
)
const ACCOUNT_REPLY = { success: true, account: OPERATED_ACCOUNT_EXAMPLE }

export const CREATE_ACCOUNT = operation({
  id: 'operatorCreateAccount',
  tag: 'Operator',
  summary: 'Create an account',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    name: RequiredText(200),
    credit: Type.Optional(Type.Number({ description: 'Starting balance in dollars' })),
    ...RETENTION,
  }),
  bodyExample: { name: 'Acme Coffee', credit: 50, messageRetentionDays: 90 },
  reply: AccountReply,
  example: ACCOUNT_REPLY,
  failure: { success: false },
})

export const LIST_ACCOUNTS = operation({
  id: 'operatorListAccounts',
  tag: 'Operator',
  summary: 'List accounts, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    status: Type.Optional(
      Type.Enum([...ACCOUNT_STATUSES], { description: 'Default: all but DELETED' }),
    ),
    search: OptionalText(200, { description: 'Part of the name, or an ID' }),
  }),
  reply: Type.Object({ accounts: Type.Array(OperatedAccountShape), hasMore: HasMore }),
  example: { accounts: [OPERATED_ACCOUNT_EXAMPLE], hasMore: false },
  failure: { accounts: [] },
})

export const GET_ACCOUNT = operation({
  id: 'operatorGetAccount',
  tag: 'Operator',
  summary: 'Retrieve an account',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ account: OperatedAccountShape }),
  example: { account: OPERATED_ACCOUNT_EXAMPLE },
  failure: { account: null },
  refuses: ['account_missing'],
})

export const CHANGE_ACCOUNT = actOnAccount({
  id: 'operatorChangeAccount',
  summary: 'Change the name or retention of an account',
  description: 'Fields that you omit do not change.',
  body: Type.Object({ name: Type.Optional(RequiredText(200)), ...RETENTION }),
  bodyExample: { messageRetentionDays: 30, mediaRetentionDays: 7 },
})

export const SUSPEND_ACCOUNT = actOnAccount({
  id: 'operatorSuspendAccount',
  summary: 'Suspend an account: its tokens are refused within seconds',
  description:
    'Queued messages are still sent, and inbound messages still arrive. To stop messages, suspend the campaign.',
  body: Type.Object({ reason: Reason }),
  bodyExample: { reason: 'Unpaid invoice' },
})

export const RESUME_ACCOUNT = actOnAccount({
  id: 'operatorResumeAccount',
  summary: 'Resume a suspended account',
  body: Type.Object({ reason: Reason }),
  bodyExample: { reason: 'Paid' },
})

const MOVE_FIELDS = {
  note: RequiredText(500, {
    description: 'Reason, shown to the customer in the ledger',
    'x-also': ['reason', 'memo', 'comment'],
  }),
  reference: OptionalText(200, {
    minLength: 1,
    description: 'Your reference, such as a payment number. A repeated one is refused',
  }),
}

export const CREDIT_ACCOUNT = actOnAccount({
  id: 'operatorCreditAccount',
  summary: 'Add money to an account',
  body: Type.Object({
    amount: Type.Number({ description: 'Dollars, more than 0' }),
    ...MOVE_FIELDS,
  }),
  bodyExample: { amount: 50, note: 'Payment received', reference: 'invoice 1042' },
})

export const CORRECT_ACCOUNT = actOnAccount({
  id: 'operatorCorrectAccount',
  summary: 'Correct the balance of an account, up or down',
  description: 'A correction is a separate ledger entry. Existing entries never change.',
  body: Type.Object({
    amount: Type.Number({
      description: 'Dollars. A negative amount deducts, up to the account’s balance',
    }),
    ...MOVE_FIELDS,
  }),
  bodyExample: { amount: -12.5, note: 'Credited twice by mistake', reference: 'ticket 77' },
})

export const DELETE_ACCOUNT = operation({
  id: 'operatorDeleteAccount',
  tag: 'Operator',
  summary: 'Delete a suspended account and everything in it',
  description:
    'Its numbers are for sale again immediately. Brands, campaigns, messages, media, opt-outs, webhooks, and tokens are deleted in the background. Its ledger and the audit log are kept; they contain no message texts. This cannot be undone, so export the account first.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  query: Type.Object({ reason: Reason }),
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: OPERATED_ACCOUNT_EXAMPLE.id },
  failure: { success: false },
  refuses: ['account_missing', 'account_state'],
})

function actOnAccount<const B extends TSchema>(input: {
  id: string
  summary: string
  description?: string
  body: B
  bodyExample: object
}) {
  return operation({
    ...input,
    tag: 'Operator',
    isExtension: true,
    scope: 'operator',
    params: IdParams,
    reply: AccountReply,
    example: ACCOUNT_REPLY,
    failure: { success: false },
    refuses: ['account_missing', 'account_state', 'balance_insufficient', 'reference_used'],
  })
}
