// What the rest of the operator's endpoints take, answer and refuse: the inventory, disabled webhooks,
// opt-outs of customers, and the audit log.

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
  summary: 'Put numbers up for sale, from CSV',
  description:
    'Columns `number` (E.164), `monthlyPrice` (dollars) and, if wanted, `location` and `hosts` (names of the carrier links that can send from the number, with spaces between them). All or nothing: where a row cannot be used, nothing is changed, and `details` says what is wrong with each. Send a large file in pieces of up to 1 MiB, each with the heading, an `Idempotency-Key`, and `existing: "skip"`. You can then repeat a piece. `longcode number import` takes a file of any size.',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    csv: RequiredText(CSV_BYTES_MAX, { description: 'The text of the file' }),
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
  summary: 'Take numbers off the market',
  description: 'All or nothing. Numbers that a campaign holds must be released first.',
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
  summary: 'How many numbers are for sale and taken, by area code',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    forSale: Type.Integer(),
    taken: Type.Integer(),
    areaCodes: Type.Array(
      Noun('StockedAreaCode', {
        areaCode: Type.String(),
        location: Type.String({ description: 'Empty where nothing is for sale' }),
        forSale: Type.Integer(),
        taken: Type.Integer({ description: 'Held by campaigns' }),
        monthlyPriceFrom: Type.Unsafe<number | null>({
          type: ['number', 'null'],
          description: 'Dollars, of the cheapest for sale',
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

// Without the secrets: an operator has no use for them.
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
  disabledReason: 'The endpoint answered 410 Gone',
  updatedAt: '2026-11-15T12:00:00.000Z',
}

export const LIST_DISABLED_WEBHOOKS = operation({
  id: 'operatorListWebhooksOff',
  tag: 'Operator',
  summary: 'Disabled webhooks, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    account: Type.Optional(IdText({ description: 'Only those of this account' })),
  }),
  reply: Type.Object({ webhooks: Type.Array(SilentWebhook), hasMore: HasMore }),
  example: { webhooks: [SILENT_WEBHOOK], hasMore: false },
  failure: { webhooks: [] },
})

export const ENABLE_WEBHOOK = operation({
  id: 'operatorEnableWebhook',
  tag: 'Operator',
  summary: 'Enable a webhook again',
  description: 'What was held meanwhile is sent when its owner asks for a recovery.',
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
  summary: 'Who has opted out of a campaign, by number',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  query: Type.Object({
    ...PageQuery.properties,
    after: Type.Optional(PhoneQuery({ description: 'The last recipient of the former page' })),
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
  summary: 'The audit log: every act of an operator and every act on a token, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    account: Type.Optional(IdText({ description: 'Acts that concern this account' })),
    act: Type.Optional(ActField),
    actor: Type.Optional(IdText({ description: 'The id of a token, or the actor’s name' })),
    subject: Type.Optional(IdText({ description: 'The id of the record acted on' })),
    since: Type.Optional(IsoTime('At or after this time')),
    until: Type.Optional(IsoTime('Until before this moment')),
  }),
  reply: Type.Object({ acts: Type.Array(AuditEntryShape), hasMore: HasMore }),
  example: { acts: [AUDIT_EXAMPLE], hasMore: false },
  failure: { acts: [] },
})
