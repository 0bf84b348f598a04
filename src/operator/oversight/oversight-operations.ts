// Requests, responses, and errors of the operator's other endpoints: inventory, disabled webhooks, customers' opt-outs,
// and the audit log.

import { Type } from 'typebox'
import { IsoTime } from '../../kit/contract/iso-time.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableString,
  PageQuery,
  PathText,
  pageQueryWith,
  RequiredText,
  Timestamp,
} from '../../kit/contract/schema.js'
import { OPTOUT_EXAMPLE, OptoutShape } from '../../optouts/optout-routes.js'
import { E164, PhoneQuery } from '../../text/number-schema.js'
import { Reason } from '../accounts/account-operations.js'
import {
  ActField,
  AUDIT_EXAMPLE,
  AuditEntryShape,
  OPERATED_ACCOUNT_EXAMPLE,
} from '../accounts/account-wire.js'

const CSV_BYTES_MAX = 1024 * 1024

export const IMPORT_NUMBERS = operation({
  id: 'operatorImportNumbers',
  tag: 'Operator',
  summary: 'Put numbers from CSV up for sale',
  description:
    'Columns: `number` (E.164) and `monthlyPrice` (dollars), and optionally `location` and `hosts` (carrier links that can send from the number, separated by spaces). Each request is all or nothing: if a row is invalid, nothing changes, and `details` lists every invalid row. Send a large file in parts of up to 1 MiB, each with the header, an `Idempotency-Key`, and `existing: "skip"`. You can then repeat a part. If a part is refused, the parts before it stay imported. `longcode number import` imports a file of any size, all or nothing.',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    csv: RequiredText(CSV_BYTES_MAX, { description: 'Content of the file' }),
    existing: Type.Optional(
      Type.Union([Type.Literal('refuse'), Type.Literal('skip')], {
        description:
          'Numbers that are already for sale: `refuse` the file (default), or `skip` them',
      }),
    ),
  }),
  bodyLimit: CSV_BYTES_MAX,
  bodyExample: { csv: 'number,monthlyPrice,location\n+14152004000,1.00,"San Francisco, CA"\n' },
  reply: Type.Object({
    success: Type.Literal(true),
    imported: Type.Integer(),
    skipped: Type.Optional(
      Type.Integer({ description: 'With `existing: "skip"`: numbers that were already for sale' }),
    ),
  }),
  example: { success: true, imported: 1 },
  failure: { success: false },
  refuses: ['numbers_unusable', 'number_state'],
})

export const WITHDRAW_NUMBERS = operation({
  id: 'operatorWithdrawNumbers',
  tag: 'Operator',
  summary: 'Remove numbers from sale',
  description:
    'Each request is all or nothing. Numbers that a campaign holds must be released first.',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({ numbers: Type.Array(E164(), { minItems: 1, maxItems: 10_000 }) }),
  bodyExample: { numbers: ['+14152004000'] },
  reply: Type.Object({ success: Type.Literal(true), withdrawn: Type.Integer() }),
  example: { success: true, withdrawn: 1 },
  failure: { success: false },
  refuses: ['numbers_unusable'],
})

export const COUNT_NUMBERS = operation({
  id: 'operatorCountNumbers',
  tag: 'Operator',
  summary: 'Count numbers for sale and in use, by area code',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    forSale: Type.Integer(),
    taken: Type.Integer(),
    areaCodes: Type.Array(
      Noun('StockedAreaCode', {
        areaCode: Type.String(),
        location: Type.String({ description: 'Empty if nothing is for sale' }),
        forSale: Type.Integer(),
        taken: Type.Integer({ description: 'Held by campaigns' }),
        monthlyPriceFrom: Type.Unsafe<number | null>({
          type: ['number', 'null'],
          description: 'Lowest price of a number for sale, in dollars',
        }),
      }),
    ),
  }),
  example: {
    forSale: 120,
    taken: 3,
    areaCodes: [
      {
        areaCode: '415',
        location: 'San Francisco, CA',
        forSale: 120,
        taken: 3,
        monthlyPriceFrom: 1,
      },
    ],
  },
  failure: { areaCodes: [] },
})

// Without secrets: an operator does not need them.
const SilentWebhook = Noun('DisabledWebhook', {
  id: Type.String(),
  accountId: Type.String(),
  campaignId: Type.String(),
  name: NullableString,
  url: Type.String(),
  enabled: Type.Boolean(),
  disabledReason: NullableString,
  updatedAt: Timestamp,
})

const SILENT_WEBHOOK = {
  id: 'whk_01km3v9w8m0000pqv3t5x7z9bd',
  accountId: OPERATED_ACCOUNT_EXAMPLE.id,
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'orders',
  url: 'https://example.com/longcode',
  enabled: false,
  disabledReason: 'The endpoint returned 410 Gone',
  updatedAt: '2026-11-15T12:00:00.000Z',
}

export const LIST_DISABLED_WEBHOOKS = operation({
  id: 'operatorListWebhooksOff',
  tag: 'Operator',
  summary: 'List disabled webhooks, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    account: Type.Optional(IdText({ description: 'Only this account' })),
  }),
  reply: Type.Object({ webhooks: Type.Array(SilentWebhook), hasMore: HasMore }),
  example: { webhooks: [SILENT_WEBHOOK], hasMore: false },
  failure: { webhooks: [] },
})

export const ENABLE_WEBHOOK = operation({
  id: 'operatorEnableWebhook',
  tag: 'Operator',
  summary: 'Enable a webhook again',
  description: 'Events from the time it was disabled are sent when its owner requests a recovery.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), webhook: SilentWebhook }),
  example: { success: true, webhook: { ...SILENT_WEBHOOK, enabled: true, disabledReason: null } },
  failure: { success: false },
  refuses: ['webhook_missing'],
})

const RecipientParams = Type.Object({ ...IdParams.properties, number: PathText() })

export const LIST_OPTOUTS = operation({
  id: 'operatorListOptouts',
  tag: 'Operator',
  summary: 'List the opt-outs of a campaign, by number',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  query: Type.Object({
    ...PageQuery.properties,
    after: Type.Optional(PhoneQuery({ description: 'The last recipient of the previous page' })),
  }),
  reply: Type.Object({ optouts: Type.Array(OptoutShape), hasMore: HasMore }),
  example: { optouts: [OPTOUT_EXAMPLE], hasMore: false },
  failure: { optouts: [] },
  refuses: ['campaign_missing'],
})

export const PUT_OPTOUT = operation({
  id: 'operatorPutOptout',
  tag: 'Operator',
  summary: 'Opt a recipient out of a customer’s campaign',
  isExtension: true,
  scope: 'operator',
  params: RecipientParams,
  body: Type.Object({ reason: Reason }),
  bodyExample: { reason: 'Complaint by mail' },
  reply: Type.Object({ success: Type.Literal(true), optout: OptoutShape }),
  example: { success: true, optout: OPTOUT_EXAMPLE },
  failure: { success: false },
  refuses: ['campaign_missing', 'field_invalid'],
})

export const DELETE_OPTOUT = operation({
  id: 'operatorDeleteOptout',
  tag: 'Operator',
  summary: 'Opt a recipient of a customer’s campaign in again',
  isExtension: true,
  scope: 'operator',
  params: RecipientParams,
  query: Type.Object({ reason: Reason }),
  reply: Type.Object({ success: Type.Literal(true), recipient: Type.String() }),
  example: { success: true, recipient: OPTOUT_EXAMPLE.recipient },
  failure: { success: false },
  refuses: ['campaign_missing', 'optout_missing'],
})

export const LIST_AUDIT = operation({
  id: 'operatorListAudit',
  tag: 'Operator',
  summary: 'List the audit log: all actions of operators and all actions on tokens, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    account: Type.Optional(IdText({ description: 'Only actions on this account' })),
    act: Type.Optional(ActField),
    actor: Type.Optional(IdText({ description: 'Token ID or name of the actor' })),
    subject: Type.Optional(IdText({ description: 'Id of the changed record' })),
    since: Type.Optional(IsoTime('At or after this time')),
    until: Type.Optional(IsoTime('Before this time')),
  }),
  reply: Type.Object({ acts: Type.Array(AuditEntryShape), hasMore: HasMore }),
  example: { acts: [AUDIT_EXAMPLE], hasMore: false },
  failure: { acts: [] },
})
