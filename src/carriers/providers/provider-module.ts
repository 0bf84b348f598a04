// A provider: what a folder in providers/ exports and providers.ts lists. Codes, media limits, fields, and messages are
// required. Numbers, registration, and setup are optional, and a missing one is offered nowhere.

import { type Static, type TObject, Type } from 'typebox'
import type { Registrar } from '../../campaigns/registration/registrar.js'
import { mapOf, text } from '../../kit/settings-file/field-schemas.js'
import type { SettingsProblem } from '../../kit/settings-file/settings-document.js'
import type { MediaTerms } from '../../messages/carrier-http.js'
import type { NumberSource } from '../../numbers/number-source.js'
import type { MessageApi } from './provider.js'
import type { ParseError, ProviderClient } from './provider-client.js'
import type { ProviderCodes } from './provider-codes.js'
import type { ProviderSetup } from './provisioning.js'

export interface ProviderModule<Fields extends TObject = TObject> {
  /** The kind of its links in the carriers file. */
  name: string
  /** The provider's own spelling. */
  title: string
  codes: ProviderCodes
  media: MediaTerms
  /** Fields in the carriers file in addition to those of every link. */
  fields: Fields
  /** Fields that should come from the environment. */
  secrets: readonly string[]
  /** Problems are errors that involve several fields. Their paths start at the link. */
  readAccount: (own: Static<Fields>) => ProviderAccount | SettingsProblem[]
  /** Absent if links are added to the carriers file by hand. */
  setup?: ProviderSetup
}

/** An account at a provider, as the fields of one link describe it. */
interface ProviderAccount {
  /** Identifies the account: all links of an account can send from its numbers. */
  id: string
  /** Known only to the operator and the provider. It seals callback URLs. */
  secret: string
  createMessages: (now: () => Date) => MessageApi
  /** Absent if the provider sells no numbers. */
  numbers?: NumbersCapability
  /** Absent if brands and campaigns are registered elsewhere. */
  registration?: RegistrationCapability
}

/** Used if the link has `numbers`. */
export interface NumbersCapability {
  /** By our campaign. Others get their own when needed. */
  profiles: ReadonlyMap<string, string>
  parseError: ParseError
  create: (settings: SourceSettings, client: ProviderClient) => NumberSource
}

export interface SourceSettings {
  /** The name of the link. */
  link: string
  monthlyPriceMicros: bigint
  settleMs: number
  profiles: ReadonlyMap<string, string>
  /** Where the provider sends inbound messages. */
  callbackUrl: string
}

export interface RegistrationCapability {
  parseError: ParseError
  create: (settings: RegistrarSettings, client: ProviderClient) => Registrar
}

export interface RegistrarSettings {
  /** The name of the link. */
  link: string
  settleMs: number
  /** Where the provider sends callbacks about registrations. */
  callbackUrl: string
}

/** Keeps the types of the fields inside the module. */
export function defineProvider<Fields extends TObject>(
  module: ProviderModule<Fields>,
): ProviderModule {
  return module as unknown as ProviderModule
}

/** The field `numbers` of a provider that sells them. */
export const NUMBER_FIELDS = {
  /** The monthly price for customers in dollars. */
  monthlyPrice: Type.Number({ minimum: 0, maximum: 1_000, default: 1 }),
}

const CAMPAIGN_KEY = /^cmp_[0-9a-z]{26}$/
export const CAMPAIGN_EXPECTS = 'must be the id of a campaign: cmp_ and 26 letters and digits'

/** A map by our campaign, so a STOP silences one campaign and no other. */
export const byCampaign = () => Type.Optional(mapOf(text(1, 100), CAMPAIGN_KEY, CAMPAIGN_EXPECTS))

export function urlField(usual: string) {
  return text(1, 500, {
    default: usual,
    pattern: '^https?://[^\\s?#]+[^\\s?#/]$',
    'x-expects': `must be a URL without a trailing slash, such as ${usual}`,
  })
}

export function mapFrom(
  entries: Readonly<Record<string, string>> | undefined,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries ?? {}))
}

export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** The name of a campaign's profile or service at the provider: it is found by this name. */
export function profileName(campaignId: string): string {
  return `longcode ${campaignId}`
}
