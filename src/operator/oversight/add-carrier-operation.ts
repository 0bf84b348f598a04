// Requests and responses of the endpoints that set up a carrier link, and the providers that can be set up.

import { Type } from 'typebox'
import { PROVIDERS_WITH_SETUP } from '../../carriers/providers/providers.js'
import { LACKS, STEP_STATES, STEPS } from '../../carriers/setup/setup.js'
import { operation } from '../../kit/contract/operation.js'
import { Noun, NullableString, OptionalText } from '../../kit/contract/schema.js'
import { E164 } from '../../text/number-schema.js'

const FIELD_LENGTH_MAX = 500
const value = () => OptionalText(FIELD_LENGTH_MAX)

const ProviderKind = Type.Enum(PROVIDERS_WITH_SETUP.map(({ name }) => name))

/** The fields of all providers. */
const fieldNames = PROVIDERS_WITH_SETUP.flatMap(({ setup }) => setup.fields.map(({ name }) => name))

export const AddCarrierBody = Type.Object({
  kind: ProviderKind,
  name: OptionalText(40, { description: 'Name of the link. Default: name of the provider' }),
  fields: Type.Object(Object.fromEntries(fieldNames.map((name) => [name, value()])), {
    description: 'As in the carriers file. Omitted fields keep their values there',
  }),
  publicUrl: OptionalText(FIELD_LENGTH_MAX, { description: 'Default: LONGCODE_PUBLIC_URL' }),
  campaign: OptionalText(40, { description: 'Gets its own profile or service' }),
  number: Type.Optional(E164()),
  monthlyPrice: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
  registration: Type.Optional(
    Type.Object(
      { vertical: OptionalText(40), mock: Type.Optional(Type.Boolean()) },
      { description: 'Register brands and campaigns through the link (telnyx)' },
    ),
  ),
  testTo: Type.Optional(E164()),
  testFrom: Type.Optional(E164()),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only check; change nothing' })),
})

const EXAMPLE = {
  success: true,
  isSetUp: true,
  link: 'telnyx',
  kind: 'telnyx',
  callbackUrl: 'https://sms.example.com/carrier/telnyx',
  steps: [{ step: 'key', state: 'done', text: 'Telnyx accepted the key. Balance: 25.00 USD.' }],
  missing: [
    {
      what: 'number',
      text: 'The Telnyx account has no numbers.',
      remedy:
        'Buy one at Telnyx, or let customers buy numbers through Longcode (--monthly-price 1).',
    },
  ],
  yaml: null,
}

export const ADD_CARRIER = operation({
  id: 'operatorAddCarrier',
  tag: 'Operator',
  summary: 'Set up a link to a provider, step by step',
  description:
    'Tests the key, finds or creates the profile and webhook, and writes the carriers file. Repeating it changes only what differs. Responses never contain secrets.',
  isExtension: true,
  scope: 'operator',
  body: AddCarrierBody,
  bodyExample: { kind: 'telnyx', fields: { apiKey: 'KEY0123' } },
  reply: Type.Object({
    success: Type.Literal(true),
    isSetUp: Type.Boolean({ description: 'No step failed' }),
    link: Type.String(),
    kind: ProviderKind,
    callbackUrl: NullableString,
    steps: Type.Array(
      Noun('CarrierSetupStep', {
        step: Type.Enum([...STEPS]),
        state: Type.Enum([...STEP_STATES]),
        text: Type.String(),
      }),
    ),
    missing: Type.Array(
      Noun('CarrierSetupLack', {
        what: Type.Enum([...LACKS]),
        text: Type.String(),
        remedy: Type.String(),
      }),
    ),
    yaml: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'To paste into the file, if it was not written',
    }),
  }),
  example: EXAMPLE,
  failure: { success: false },
  refuses: ['field_invalid'],
})

const SetupProvider = Noun('CarrierProvider', {
  kind: ProviderKind,
  title: Type.String(),
  about: Type.String({ description: 'For an operator who is choosing' }),
  container: Type.String({
    description: 'What it calls the place that holds numbers and their webhook',
  }),
  hasRegistration: Type.Boolean({
    description: 'Brands and campaigns can be registered through its links',
  }),
  fields: Type.Array(
    Noun('CarrierProviderField', {
      name: Type.String({ description: 'In `fields` of operatorAddCarrier' }),
      label: Type.String(),
      help: Type.String(),
      isSecret: Type.Boolean(),
      isRequired: Type.Boolean(),
    }),
  ),
})

export const LIST_PROVIDERS = operation({
  id: 'operatorListProviders',
  tag: 'Operator',
  summary: 'Providers that can be set up, and the fields they need',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({ success: Type.Literal(true), providers: Type.Array(SetupProvider) }),
  example: {
    success: true,
    providers: [
      {
        kind: 'telnyx',
        title: 'Telnyx',
        about: 'Connect with one API key. Supports messages, numbers, and 10DLC registration.',
        container: 'messaging profile',
        hasRegistration: true,
        fields: [
          {
            ...{ name: 'apiKey', label: 'API key', isSecret: true, isRequired: true },
            help: 'portal.telnyx.com, API Keys. Starts with KEY.',
          },
        ],
      },
    ],
  },
  failure: { success: false },
  refuses: [],
})
