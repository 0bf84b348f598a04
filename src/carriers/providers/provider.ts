// The message API of a provider, as pure functions: how to request a message, what the response means, and whether
// a callback is genuine and what it reports. The link handles sockets, limits, and outcomes (http-link.ts).

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
  /** It refuses the number that the message is from. Other numbers continue. */
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
  /** The provider has already replied to this keyword and acts on it automatically. */
  handled: KeywordName | null
}

/** A brand or campaign has changed there: query it for details. */
interface RegistrationCallback {
  kind: 'registration'
  accountId: AccountId
  recordId: string
}

export type ProviderCallback = ReceiptCallback | InboundCallback | RegistrationCallback

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
  /** What it knows about a phone number, for a fee. Absent: it has no lookup. */
  lookUp?: (number: string) => ProviderRequest
  /** Null: it did not say. */
  readLookUp?: (answer: ProviderAnswer) => PhoneFacts | null
  /** Credentials for files of inbound messages, on the provider's own host. Absent: files are public. */
  mediaHeaders?: () => Record<string, string>
  isGenuine: (request: CallbackRequest, at: CallbackContext) => boolean | Promise<boolean>
  /** Null: not in a form that is known. */
  readCallbacks: (request: CallbackRequest) => ProviderCallback[] | null
  /** What it expects as the reply once a callback is stored. */
  storedReply: CallbackReply
}
