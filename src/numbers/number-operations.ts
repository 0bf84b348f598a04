// What the number endpoints accept, return, and refuse. number-routes.ts connects each to its route.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  NullableString,
  PageQuery,
  PathText,
} from '../kit/contract/schema.js'
import { E164 } from '../text/number-schema.js'
import { numberProblem } from '../text/phone-number.js'
import {
  FOUND_EXAMPLE,
  FoundNumber,
  ListedNumber,
  NUMBER_EXAMPLE,
  NumberShape,
  NumberWithCampaign,
  PERIOD_EXAMPLE,
  ProratedPeriod,
} from './number-wire.js'
import { AREA_CODE_EXPECTS } from './search-numbers.js'

export const AFTER_EXPECTS = 'must be the phoneNumber of the last record of the previous page'

// The contract's text for anything wrong with it, including absence.
const FORWARD_TEXT = 'Invalid number format'
const CAMPAIGN_EXAMPLE = 'cmp_01km3v9w8m0000pqv3t5x7z9bd'

export const NumberParams = Type.Object({
  number: PathText({
    description: 'The number with country code, digits only. A leading plus is accepted',
    'x-parameter': 'Number',
    examples: ['14155550123'],
  }),
})

export const SEARCH = operation({
  id: 'searchNumbers',
  databaseClass: 'open',
  tag: 'Numbers',
  summary: 'Search for available numbers',
  description:
    'If the area code has no numbers left, nearby area codes are searched, nearest first. Toll-free numbers are not listed. With `campaign`, the list has only numbers that its carrier links host, and Canadian numbers only if its brand is in Canada. Each number then has its price for the rest of the period (`period`): monthlyPrice × daysLeft ÷ days, rounded up to a cent.',
  scope: 'read',
  campaignAccess: 'none',
  query: Type.Object({
    areaCode: Type.Optional(
      Type.String({
        pattern: '^[2-9][0-9]{2}$',
        description: 'Three digits. Default: any',
        examples: ['415'],
        'x-expects': AREA_CODE_EXPECTS,
        'x-also': ['area', 'npa', 'prefix', 'code'],
      }),
    ),
    nearby: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether to search nearby area codes if this one has no numbers left',
        'x-expects': 'must be true or false',
        'x-also': ['near', 'fallback'],
      }),
    ),
    campaign: Type.Optional(
      IdText({
        description:
          'The ID of the ACTIVE campaign to buy the number for. Extension (not in the contract)',
      }),
    ),
    limit: PageQuery.properties.limit,
  }),
  reply: Type.Object({
    numbers: Type.Array(FoundNumber),
    period: Type.Optional(ProratedPeriod),
  }),
  example: { numbers: [{ ...FOUND_EXAMPLE, priceNow: 0.57 }], period: PERIOD_EXAMPLE },
  failure: { numbers: [] },
  refuses: ['campaign_missing', 'campaign_state', 'numbers_none', 'numbers_unreachable'],
})

export const LIST = operation({
  id: 'listNumbers',
  tag: 'Numbers',
  summary: 'List the numbers of all campaigns, newest purchase first',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'handler',
  query: Type.Object({
    limit: PageQuery.properties.limit,
    skip: PageQuery.properties.skip,
    after: Type.Optional(
      E164({
        description: 'The phoneNumber of the last record of the previous page',
        'x-expects': AFTER_EXPECTS,
      }),
    ),
  }),
  reply: Type.Object({ numbers: Type.Array(ListedNumber), hasMore: HasMore }),
  example: { numbers: [{ ...NUMBER_EXAMPLE, campaign: CAMPAIGN_EXAMPLE }], hasMore: false },
  failure: { numbers: [] },
})

export const GET = operation({
  id: 'getNumber',
  tag: 'Numbers',
  summary: 'Retrieve a number',
  scope: 'read',
  campaignAccess: 'number',
  params: NumberParams,
  reply: Type.Object({ number: NumberWithCampaign }),
  example: { number: { ...NUMBER_EXAMPLE, campaignId: CAMPAIGN_EXAMPLE } },
  failure: { number: null },
  refuses: ['number_missing'],
})

export const LIST_OF_CAMPAIGN = operation({
  id: 'listCampaignNumbers',
  tag: 'Numbers',
  summary: 'List the numbers of a campaign',
  description: 'The default number first, then the others by purchase date.',
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: Type.Object({ numbers: Type.Array(NumberShape) }),
  example: { numbers: [NUMBER_EXAMPLE] },
  failure: { numbers: [] },
  refuses: ['campaign_missing'],
})

export const SET_FORWARDING = operation({
  id: 'setForwarding',
  tag: 'Numbers',
  summary: 'Forward inbound calls of a number, or stop forwarding',
  description: `A missing or malformed \`forwardNumber\` returns \`${FORWARD_TEXT}\`. Refused targets: loops, chains of more than five forwarded numbers, 900, 976, 500, 700, and 555-1212 numbers, and the Caribbean unless allowed. Tokens of a suspended account can still stop forwarding.`,
  scope: 'manage',
  campaignAccess: 'number',
  admitsSuspended: true,
  params: NumberParams,
  body: Type.Object({
    forwardNumber: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: '^\\+1[0-9]{10}$',
      description: 'E.164: forwards all inbound calls to this number. null: stops forwarding',
      'x-explains': (value: unknown) => `${numberProblem(value, 'called')}, or null`,
      'x-text': FORWARD_TEXT,
      'x-also': ['number', 'to', 'phoneNumber', 'forwardTo'],
    }),
  }),
  bodyExample: { forwardNumber: '+14155550188' },
  reply: Type.Object({
    success: Type.Literal(true),
    phoneNumber: E164(),
    forwardNumber: NullableString,
    forwardEnabled: Type.Boolean(),
  }),
  example: {
    success: true,
    phoneNumber: '+14155550123',
    forwardNumber: '+14155550188',
    forwardEnabled: true,
  },
  failure: { success: false },
  refuses: ['number_missing', 'forwardings_too_many', 'forwarding_stopped', 'campaign_state'],
})

const BOUGHT_NUMBER = E164({
  minLength: 1,
  description: 'A number from the search results',
  'x-also': ['phone', 'phoneNumber'],
})

const BUY_SHARED = {
  tag: 'Numbers',
  description:
    'Charged now: monthlyPrice × days left until the campaign’s renewal ÷ days of that period, rounded up to a cent. Each renewal then charges monthlyPrice. The first number of a campaign becomes its default. A number from a provider starts as PENDING, and messages from it wait.',
  scope: 'manage',
  campaignAccess: 'handler',
  reply: Type.Object({
    success: Type.Literal(true),
    number: NumberShape,
    charged: Type.Number({
      description: 'In dollars, charged now. Extension (not in the contract)',
    }),
  }),
  example: { success: true, number: NUMBER_EXAMPLE, charged: 0.54 },
  failure: { success: false },
  refuses: [
    'campaign_missing',
    'number_toll_free',
    'campaign_state',
    'number_owned',
    'number_taken',
    'number_not_carried',
    'number_not_for_sale',
    'numbers_unreachable',
    'balance_insufficient',
  ],
} as const

export const BUY_FOR_CAMPAIGN = operation({
  ...BUY_SHARED,
  id: 'buyNumberForCampaign',
  summary: 'Buy a number for the campaign',
  params: IdParams,
  body: Type.Object({ number: BOUGHT_NUMBER }),
  bodyExample: { number: '+14155550123' },
})

export const BUY = operation({
  ...BUY_SHARED,
  id: 'buyNumber',
  summary: 'Buy a number for a campaign',
  description: 'Same as `POST /v1/campaign/{id}/number/buy`, with the campaign in the body.',
  body: Type.Object({
    number: BOUGHT_NUMBER,
    campaign: IdText({
      minLength: 1,
      pattern: '\\S',
      description: 'The ID of an ACTIVE campaign',
    }),
  }),
  bodyExample: { number: '+14155550123', campaign: CAMPAIGN_EXAMPLE },
})

export const RELEASE = operation({
  id: 'releaseNumber',
  tag: 'Numbers',
  summary: 'Release a number',
  description:
    'The number becomes available for purchase again. There is no refund. If it was the default, the campaign’s oldest number becomes the default.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'number',
  params: NumberParams,
  reply: Type.Object({ success: Type.Literal(true), phoneNumber: E164() }),
  example: { success: true, phoneNumber: '+14155550123' },
  failure: { success: false },
  refuses: ['number_missing'],
})

export const SET_DEFAULT = operation({
  id: 'setDefaultNumber',
  tag: 'Numbers',
  summary: 'Make a number the default of its campaign',
  description: 'Messages without a sender are sent from the default number.',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'number',
  params: NumberParams,
  reply: Type.Object({ success: Type.Literal(true), number: NumberShape }),
  example: { success: true, number: NUMBER_EXAMPLE },
  failure: { success: false },
  refuses: ['number_missing', 'number_state'],
})
