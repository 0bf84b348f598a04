// Setup of a provider account: the inputs of `longcode carrier add` and the console, and the provider features they
// use. A provisioning client stores nothing: it looks up everything by name first.

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
  /** The prompt on the command line. */
  question: string
  /** The environment variable that answers the question. */
  variable: string
  isSecret?: true
  isRequired?: true
  /** Other values are refused. `expects` continues the sentence after the field's name. */
  pattern?: RegExp
  expects?: string
  /** The field in the console. Absent if the console does not show it. */
  form?: { label: string; help: string }
}

/** The rest of a field that is a URL. */
export const ADDRESS_FIELD = {
  pattern: /^https?:\/\/[^\s?#]+[^\s?#/]$/,
  expects: 'must be a URL without a trailing slash',
}

/** How the provider's callbacks are authenticated. */
export type CallbackAuth =
  /** A public key from the provider. `missing`: what to do if it returns none. */
  | { kind: 'public_key'; field: string; missing: string }
  /** A user name and password that we choose. `missing`: what to do if a password cannot be stored. */
  | { kind: 'password'; userField: string; passwordField: string; missing: string }
  /** A required field. */
  | { kind: 'field'; text: string }

/** The known field values, including default URLs. */
export type SetupValues = Readonly<Record<string, string>>

export interface ProviderSetup {
  /** A short description for operators who choose a provider. */
  about: string
  /** The provider's name for the resource that has numbers and their webhook. */
  container: string
  fields: readonly SetupField[]
  /** The default URLs of its APIs, by field. */
  urls: Readonly<Record<string, string>>
  /** Two fields that only work together. */
  pair?: readonly [string, string]
  /** Fields of `numbers` that selling numbers requires. */
  numberFields?: readonly string[]
  callbackAuth: CallbackAuth
  /** The field of a link that has the container of each campaign, and the one that has the container of all others. */
  containerFields: { byCampaign: string; others?: string }
  /** Whether brands and campaigns can be registered through its links. */
  hasRegistration: boolean
  /** Codes that mean that the account has no funds. */
  noFundsCodes: readonly string[]
  parseError: ParseError
  open: (values: SetupValues, client: ProviderClient) => ProvisioningClient
}

/** What the provider must know to send callbacks. */
export interface Callbacks {
  url: string | null
  /** Bandwidth sends them with every callback. `isNew`: it does not have the password yet. */
  user?: string
  password?: string
  isNew?: boolean
}

export interface Container {
  id: string
  /** Descriptions of what has to change. Empty if nothing does. */
  differs: string[]
}

export interface AccountNumber {
  id: string
  phoneNumber: string
  /** Null: in none, or the provider does not report it. */
  containerId: string | null
}

interface AccountState {
  /** Such as the balance. */
  text: string | null
  hasNoMoney: boolean
  isTrial: boolean
}

/** The outcome of a test message. */
export interface TestOutcome {
  state: 'waiting' | 'delivered' | 'unconfirmed' | 'failed'
  /** The provider's own words. */
  text: string
  code: string | null
}

/** Every method throws a RemoteFault. */
export interface ProvisioningClient {
  /** Resolves if the key is valid. */
  check: () => Promise<AccountState>
  /** Base64, or null if the provider does not return it. Absent if callbacks are authenticated in another way. */
  publicKey?: () => Promise<string | null>
  findContainer: (name: string, callbacks: Callbacks) => Promise<Container | null>
  createContainer: (name: string, callbacks: Callbacks) => Promise<string>
  changeContainer: (id: string, callbacks: Callbacks) => Promise<void>
  listNumbers: () => Promise<AccountNumber[]>
  /** Absent if numbers are assigned by their location. */
  putNumber?: (number: AccountNumber, containerId: string) => Promise<void>
  /** Whether the given location, or any, is linked to the application. Absent if there are no locations. */
  isTied?: (containerId: string) => Promise<boolean>
  tie?: (containerId: string) => Promise<void>
  /** Null if the provider does not report it. */
  isRegistered: (number: AccountNumber, containerId: string) => Promise<boolean | null>
  /** Returns the provider's message id. Bandwidth sends callbacks to its application's URL, others to `statusUrl`. */
  send: (message: {
    from: string
    to: string
    text: string
    containerId: string
    statusUrl: string | null
  }) => Promise<string>
  outcomeOf: (messageId: string) => Promise<TestOutcome>
}

/** Which addresses a setup may connect to, and its timeout. */
export type SetupReach = Required<Pick<ProviderClientOptions, 'timeoutMs' | 'allowPrivate'>> &
  Pick<ProviderClientOptions, 'allow'>

/** Describes each kind of failure in a sentence. */
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

/** The error for a response without a required part. */
export function unreadable(title: string, what: string, url: string): RemoteFault {
  return new RemoteFault('refused', describeUnreadable(title, what, url))
}

/** For optional information that the provider may refuse. */
export function nullIfRefused(error: unknown): null {
  if (error instanceof RemoteFault) return null
  throw error
}

function describeUnreadable(title: string, what: string, url: string): string {
  const { origin } = new URL(url)
  return `${origin} returned an unexpected response for ${what}. Check that it is the URL of ${title}.`
}

function describeSilence(title: string, { request, what, hasLeft, text }: FailedRequest): string {
  const { origin } = new URL(request.url)
  return !hasLeft || request.method === 'GET'
    ? `${title} could not be reached for ${what} at ${origin}: ${text} Check the network connection of this machine, and try again.`
    : `${title} did not confirm ${what}: ${text} Try again. Existing resources are found and not created twice.`
}

function describeRefusal(
  title: string,
  { what, status, code, text }: FailedRequest,
  { hasNoFunds, isThrottled }: { hasNoFunds: boolean; isThrottled: boolean },
): string {
  const description = [code, text].filter((word) => word !== null).join(' ')
  const reason = description === '' ? `HTTP ${status}` : `HTTP ${status}, ${description}`
  if (status === 401) {
    return `${title} rejected this key (${reason}). Copy the whole key, or create a new one.`
  }
  if (status === 402 || hasNoFunds) {
    return `The ${title} account has no funds (${reason}). Add funds, and try again.`
  }
  if (status === 403) {
    return `${title} accepted the key, but it has no permission for ${what} (${reason}). Add the permission, or use another key.`
  }
  if (status === 429 || isThrottled) {
    return `${title} is throttling requests (${reason}). Wait a minute, and try again.`
  }
  if (status !== null && status >= 500) {
    return `${title} returned ${reason} for ${what}. Try again later. Existing resources are found and not created twice.`
  }
  return `${title} refused ${what} (${reason}).`
}
