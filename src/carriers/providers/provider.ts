// What is particular to a provider's messages, as pure functions: how a message is requested, what the answer means,
// whether a callback is genuine and what it reports. Sockets, limits and outcomes are the link's (http-link.ts).

import type { AccountId } from '../../accounts/account.js'
import type { CallbackReply, CallbackRequest } from '../../messages/carrier-http.js'
import type { Listed, PhoneFacts, Submission } from '../../messages/carrier-port.js'
import type { ErrorCode } from '../../messages/message-errors.js'
import type { KeywordName } from '../../text/keywords.js'

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string
  /** Where the response may be longer than usual. */
  maxResponseBytes?: number
}

export interface ProviderAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type SubmitResult =
  | { kind: 'accepted'; carrierId: string; facts: PhoneFacts }
  /** `isForAll`: the provider named the time in Retry-After, and nothing is sent to it until then. */
  | { kind: 'throttled'; retryAfterMs?: number; isForAll?: boolean }
  | { kind: 'failed'; errorCode: ErrorCode; carrierCode: string; isUnmapped: boolean }
  /** It refuses the number that the message is from. Others may go on. */
  | { kind: 'sender'; carrierCode: string }
  /** The host's own: it is never a customer's failure. */
  | { kind: 'fault'; detail: string }
  | { kind: 'unknown'; detail: string }

export interface ReceiptCallback {
  kind: 'receipt'
  carrierId: string
  /** UNCONFIRMED: nobody will ever say; the message stays as it is. */
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | 'UNCONFIRMED'
  errorCode: ErrorCode | null
  /** Code and text as they came. */
  carrierCode: string | null
  isUnmapped: boolean
  /** What we gave it with the message, as it came back. */
  tag?: string | null
  /** Our number. */
  from?: string | null
  to: string | null
  facts: PhoneFacts
}

export interface InboundCallback {
  kind: 'inbound'
  carrierId: string
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  facts: PhoneFacts
  /** The provider has answered this word already, and acts on it by itself. */
  handled: KeywordName | null
}

/** A brand or a campaign of ours has news: what they are is asked for. */
interface RegistrationCallback {
  kind: 'registration'
  accountId: AccountId
  recordId: string
}

export type ProviderCallback = ReceiptCallback | InboundCallback | RegistrationCallback

/** A message of ours that is named in a callback's address. */
export interface NamedMessage {
  accountId: AccountId
  messageId: string
}

export interface CallbackContext {
  /** As the provider knows it: from the setting, never from headers. */
  url: string
  now: Date
}

export interface MessageApi {
  /** A request that costs nothing and shows whether the key is good. */
  probe: () => ProviderRequest
  submit: (submission: Submission, statusUrl: string) => ProviderRequest
  readSubmit: (answer: ProviderAnswer, now: Date) => SubmitResult
  /** Lists what a message whose outcome is unknown may be, since we accepted it. Absent: there is nothing to ask. */
  query?: (submission: Submission, acceptedAt: Date) => ProviderRequest
  /** Null: it does not tell. */
  readQuery?: (
    answer: ProviderAnswer,
    submission: Submission,
    acceptedAt: Date,
  ) => Omit<Listed, 'link'> | null
  /** What it knows of a phone. It costs. Absent: it cannot be asked. */
  lookUp?: (number: string) => ProviderRequest
  /** Null: it did not say. */
  readLookUp?: (answer: ProviderAnswer) => PhoneFacts | null
  /** What a file of an inbound message is asked for with, on the provider's own host. Absent: anybody gets it. */
  mediaHeaders?: () => Record<string, string>
  isGenuine: (request: CallbackRequest, at: CallbackContext) => boolean | Promise<boolean>
  /** Null: not in a form that is known. */
  readCallbacks: (request: CallbackRequest) => ProviderCallback[] | null
  /** What it expects as the reply once a callback is stored. */
  storedReply: CallbackReply
}
