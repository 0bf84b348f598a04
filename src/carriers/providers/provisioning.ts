// Setting up a provider's account: what `longcode carrier add` and the console ask for, and what they need of the provider.
// A provisioning client stores nothing: it looks everything up by its name first.

import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import {
  createProviderClient,
  type FailedRequest,
  type ParseError,
  type ProviderClient,
  type ProviderClientOptions,
} from './provider-client.js'
import type { ProviderCodes } from './provider-codes.js'

export interface SetupField {
  /** As in the carriers file. */
  name: string
  /** As the command line asks for it. */
  question: string
  /** The environment variable that answers the question. */
  variable: string
  isSecret?: true
  isRequired?: true
  /** Refused otherwise; the sentence continues after the name. */
  pattern?: RegExp
  expects?: string
  /** As the console asks for it. Absent: the console leaves it out. */
  form?: { label: string; help: string }
}

/** The rest of a field that is an address. */
export const ADDRESS_FIELD = {
  pattern: /^https?:\/\/[^\s?#]+[^\s?#/]$/,
  expects: 'must be an address without a slash at its end',
}

/** How the provider's callbacks show that they are genuine. */
export type CallbackAuth =
  /** A public key that the provider hands out. `missing`: what to do where it does not. */
  | { kind: 'public_key'; field: string; missing: string }
  /** A name and a password that we choose. `missing`: what to do where nobody could store one. */
  | { kind: 'password'; userField: string; passwordField: string; missing: string }
  /** One of the fields that are required anyway. */
  | { kind: 'field'; text: string }

/** The values of fields that are known, with the default addresses. */
export type SetupValues = Readonly<Record<string, string>>

export interface ProviderSetup {
  /** In a few words, for a host who is choosing. */
  about: string
  /** What it calls the place that holds numbers and their webhook. */
  container: string
  fields: readonly SetupField[]
  /** The default addresses of its APIs, by field. */
  urls: Readonly<Record<string, string>>
  /** Two fields that are of use only together. */
  pair?: readonly [string, string]
  /** Where numbers are put, as fields of `numbers`: selling them requires these. */
  numberFields?: readonly string[]
  callbackAuth: CallbackAuth
  /** The field of a link that has the container of each campaign, and the one that has the container of all others. */
  containerFields: { byCampaign: string; others?: string }
  /** Whether brands and campaigns can be registered through its links. */
  hasRegistration: boolean
  /** Codes that mean that the account has no money. */
  noFundsCodes: readonly string[]
  parseError: ParseError
  open: (values: SetupValues, client: ProviderClient) => ProvisioningClient
}

/** What the provider must know to send callbacks. */
export interface Callbacks {
  url: string | null
  /** Bandwidth sends them with every callback; `isNew`: it cannot know the password yet. */
  user?: string
  password?: string
  isNew?: boolean
}

export interface Container {
  id: string
  /** What has to change, in words; empty where nothing has to. */
  differs: string[]
}

export interface AccountNumber {
  id: string
  phoneNumber: string
  /** Null: in none, or the provider does not report it. */
  containerId: string | null
}

interface AccountState {
  /** Such as the money left. */
  text: string | null
  hasNoMoney: boolean
  isTrial: boolean
}

/** Of a test message. */
export interface TestOutcome {
  state: 'waiting' | 'delivered' | 'unconfirmed' | 'failed'
  /** The provider's own words. */
  text: string
  code: string | null
}

/** Every method throws a RemoteFault. */
export interface ProvisioningClient {
  /** Resolves where the key is good. */
  check: () => Promise<AccountState>
  /** Base64; null where the provider does not report it. Absent: its callbacks are authenticated otherwise. */
  publicKey?: () => Promise<string | null>
  findContainer: (name: string, callbacks: Callbacks) => Promise<Container | null>
  createContainer: (name: string, callbacks: Callbacks) => Promise<string>
  changeContainer: (id: string, callbacks: Callbacks) => Promise<void>
  listNumbers: () => Promise<AccountNumber[]>
  /** Absent: numbers get into it by their location. */
  putNumber?: (number: AccountNumber, containerId: string) => Promise<void>
  /** Whether its location is tied to the application, or any is. Absent: there are no locations. */
  isTied?: (containerId: string) => Promise<boolean>
  tie?: (containerId: string) => Promise<void>
  /** Null: the provider does not report it. */
  isRegistered: (number: AccountNumber, containerId: string) => Promise<boolean | null>
  /** The id of the message there. Bandwidth calls where its application says, the others at the given address. */
  send: (message: {
    from: string
    to: string
    text: string
    containerId: string
    statusUrl: string | null
  }) => Promise<string>
  outcomeOf: (messageId: string) => Promise<TestOutcome>
}

/** Which addresses a setup may reach, and how long it waits. */
export type SetupReach = Required<Pick<ProviderClientOptions, 'timeoutMs' | 'allowPrivate'>> &
  Pick<ProviderClientOptions, 'allow'>

/** One clear sentence for each thing that can go wrong. */
export function createSetupClient(
  {
    title,
    codes,
    setup,
  }: {
    title: string
    codes: ProviderCodes
    setup: Pick<ProviderSetup, 'parseError' | 'noFundsCodes'>
  },
  reach: SetupReach,
): ProviderClient {
  const describe = (failed: FailedRequest) => {
    if (failed.status === null) return describeSilence(title, failed)
    if (failed.status < 300) return describeUnreadable(title, failed.what, failed.request.url)
    return describeRefusal(title, failed, {
      hasNoFunds: failed.code !== null && setup.noFundsCodes.includes(failed.code),
      isThrottled: failed.code !== null && codes.meaningOf(failed.code) === 'throttled',
    })
  }
  return createProviderClient({ ...reach, codes, parseError: setup.parseError, describe })
}

/** Of an answer that lacks what it must have. */
export function unreadable(title: string, what: string, url: string): RemoteFault {
  return new RemoteFault('refused', describeUnreadable(title, what, url))
}

/** For what is useful to know and may be withheld. */
export function nullIfRefused(error: unknown): null {
  if (error instanceof RemoteFault) return null
  throw error
}

function describeUnreadable(title: string, what: string, url: string): string {
  const { origin } = new URL(url)
  return `${origin} answered ${what} with something that ${title} does not say: is that its address?`
}

function describeSilence(title: string, { request, what, hasLeft, text }: FailedRequest): string {
  const { origin } = new URL(request.url)
  return !hasLeft || request.method === 'GET'
    ? `${title} could not be reached for ${what} at ${origin}: ${text} Check the network of this machine and run it again.`
    : `${title} did not confirm ${what}: ${text} Run it again: what already exists is found and not created twice.`
}

function describeRefusal(
  title: string,
  { what, status, code, text }: FailedRequest,
  { hasNoFunds, isThrottled }: { hasNoFunds: boolean; isThrottled: boolean },
): string {
  const words = [code, text].filter((word) => word !== null).join(' ')
  const reason = words === '' ? `HTTP ${status}` : `HTTP ${status}, ${words}`
  if (status === 401) {
    return `${title} does not know this key (${reason}): copy it whole from its pages, or make a new one there.`
  }
  if (status === 402 || hasNoFunds) {
    return `The account at ${title} has no money (${reason}): pay in there, and run it again.`
  }
  if (status === 403) {
    return `${title} knows the key and does not let it have ${what} (${reason}): give it that permission there, or take another key.`
  }
  if (status === 429 || isThrottled) {
    return `${title} asks for fewer requests (${reason}): wait a minute.`
  }
  if (status !== null && status >= 500) {
    return `${title} answered ${what} with ${reason}: run it again later; what is there is found, and not made twice.`
  }
  return `${title} refused ${what} (${reason}).`
}
