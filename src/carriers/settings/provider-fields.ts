// The fields that all links over a provider's HTTP API have, and those of each; and what is common to making one.

import { Type } from 'typebox'
import { VERTICALS } from '../../brands/verticals.js'
import {
  choice,
  flag,
  mapOf,
  seconds,
  secret,
  text,
  toMs,
  whole,
} from '../../kit/settings-file/field-schemas.js'
import type { Problem } from '../../kit/settings-file/settings-document.js'
import type { NumberSource } from '../../numbers/number-source.js'
import { CallbackAddress } from '../providers/callbacks.js'
import { createHttpLink } from '../providers/http-link.js'
import {
  createNumberClient,
  type NumberClient,
  type Said,
  type SourceSettings,
} from '../providers/number-client.js'
import type { Provider, ProviderAnswer } from '../providers/provider.js'
import type { ProviderName } from '../providers/provider-codes.js'
import type { OpenRegistrar, RegistrationSettings } from '../providers/registration-client.js'
import {
  type ReadContext,
  type ReadLink,
  silencePolicy,
  UnknownFields,
  type UnknownOwn,
} from './link-kind.js'
import { RateFields, type RateOwn, shareProblems } from './rate-fields.js'

const CAMPAIGN_KEY = /^cmp_[0-9a-z]{26}$/
const CAMPAIGN_EXPECTS = 'must be the id of a campaign: cmp_ and 26 letters and digits'

/** By campaign of ours, so that a STOP silences one campaign and no other. */
const byCampaign = () => Type.Optional(mapOf(text(1, 100), CAMPAIGN_KEY, CAMPAIGN_EXPECTS))

function urlOf(usual: string) {
  return text(1, 500, {
    default: usual,
    pattern: '^https?://[^\\s?#]+[^\\s?#/]$',
    'x-expects': `must be an address without a slash at its end, such as ${usual}`,
  })
}

const SHARED = {
  /** Requests under way at most. */
  concurrency: whole(1, 500, 20),
  ...RateFields,
  responseTimeoutSeconds: seconds(1, 40, 10_000),
  lookSeconds: seconds(1, 3_600, 30_000),
  settleSeconds: seconds(1, 3_600, 120_000),
  ...UnknownFields,
  /** Ask for money what kind of phone a recipient has, where nobody has learnt it. */
  lookUps: flag(false),
}

/** Where numbers are searched for, bought and released at the provider. */
const NUMBERS = {
  /** Dollars that customers pay for a month. */
  monthlyPrice: Type.Number({ minimum: 0, maximum: 1_000, default: 1 }),
}

export const TelnyxFields = Type.Object({
  ...SHARED,
  url: urlOf('https://api.telnyx.com'),
  apiKey: secret(1, 500),
  publicKey: text(1, 100),
  profiles: byCampaign(),
  answersKeywords: flag(true),
  numbers: Type.Optional(Type.Object(NUMBERS)),
  /** Where brands and campaigns are registered with the carriers. */
  registration: Type.Optional(
    Type.Object({
      /** Of brands that name none. */
      vertical: Type.Optional(choice(VERTICALS)),
      mock: flag(false),
    }),
  ),
})

export const BandwidthFields = Type.Object({
  ...SHARED,
  url: urlOf('https://messaging.bandwidth.com'),
  lookUpUrl: urlOf('https://api.bandwidth.com'),
  accountId: text(1, 100),
  user: text(1, 200),
  password: secret(1, 500),
  application: text(1, 100),
  applications: byCampaign(),
  callbackUser: text(1, 200),
  callbackPassword: secret(12, 500),
  mmsReceipts: flag(false),
  dashboardUrl: urlOf('https://dashboard.bandwidth.com/api'),
  numbers: Type.Optional(
    Type.Object({
      ...NUMBERS,
      siteId: text(1, 40),
      locationId: text(1, 40),
      /** By campaign of ours. */
      locations: byCampaign(),
    }),
  ),
})

export const TwilioFields = Type.Object({
  ...SHARED,
  url: urlOf('https://api.twilio.com'),
  lookUpUrl: urlOf('https://lookups.twilio.com'),
  accountSid: text(1, 100, {
    pattern: '^AC[0-9a-f]{32}$',
    'x-expects': 'must be AC and 32 digits of hex',
  }),
  authToken: secret(1, 500),
  apiKey: Type.Optional(text(1, 100)),
  apiSecret: Type.Optional(secret(1, 500)),
  services: byCampaign(),
  answersKeywords: flag(true),
  messagingUrl: urlOf('https://messaging.twilio.com'),
  numbers: Type.Optional(Type.Object(NUMBERS)),
})

interface Shared extends UnknownOwn, RateOwn {
  concurrency: number
  responseTimeoutSeconds: number
  lookSeconds: number
  settleSeconds: number
  lookUps: boolean
  numbers?: { monthlyPrice: number }
}

/** What a provider's numbers are, apart from what all of them have. */
export interface NumbersOf {
  provider: ProviderName
  /** By campaign of ours. */
  profiles: ReadonlyMap<string, string>
  said: (answer: ProviderAnswer) => Said
  create: (settings: SourceSettings, client: NumberClient) => NumberSource
}

export type SharedRegistration = Omit<RegistrationSettings, 'vertical' | 'isMock'>

/** The seal of callback addresses is made with what only the host and the provider know. */
export function readProviderLink(
  { name, kind, own }: { name: string; kind: string; own: Shared },
  { publicUrl }: ReadContext,
  {
    secret,
    account,
    provider,
    numbers,
    openRegistrar,
  }: {
    secret: string
    /** What tells accounts at this provider apart. */
    account: string
    provider: (now: () => Date) => Provider
    numbers?: NumbersOf
    openRegistrar?: (shared: SharedRegistration) => OpenRegistrar
  },
): ReadLink | Problem[] {
  const problems = shareProblems(own)
  if (problems.length > 0) return problems
  const base = `${publicUrl}/carrier/${name}`
  const settings = {
    ...{ name, kind, concurrency: own.concurrency, unknown: silencePolicy(own) },
    ...{ perSecond: own.perSecond ?? null, shared: own.shared },
    hasLookUps: own.lookUps,
    timeoutMs: toMs(own.responseTimeoutSeconds),
    pollMs: toMs(own.lookSeconds),
    settleMs: toMs(own.settleSeconds),
  }
  return {
    settings: { ...own, base },
    account: `${kind} ${account}`,
    create: (deps) =>
      createHttpLink(settings, {
        ...deps,
        provider: provider(() => deps.clock.now()),
        address: new CallbackAddress(base, secret),
      }),
    ...(numbers && own.numbers && openerOf(name, base, { ...own, numbers: own.numbers }, numbers)),
    ...(openRegistrar && {
      openRegistrar: () =>
        openRegistrar({
          ...{ link: name, callbackUrl: base },
          settleMs: settings.settleMs,
          timeoutMs: settings.timeoutMs,
        }),
    }),
  }
}

function openerOf(
  link: string,
  callbackUrl: string,
  own: Shared & { numbers: NonNullable<Shared['numbers']> },
  { provider, profiles, said, create }: NumbersOf,
): Pick<ReadLink, 'openNumbers'> {
  const settings = {
    ...{ link, callbackUrl, profiles },
    settleMs: toMs(own.settleSeconds),
    monthlyPriceMicros: BigInt(Math.round(own.numbers.monthlyPrice * 1_000_000)),
  }
  return {
    openNumbers: () => {
      const timeoutMs = toMs(own.responseTimeoutSeconds)
      const client = createNumberClient(provider, { timeoutMs }, said)
      return { client: create(settings, client), close: () => client.close() }
    },
  }
}

export function mapFrom(given: Readonly<Record<string, string>> | undefined) {
  return new Map(Object.entries(given ?? {}))
}
