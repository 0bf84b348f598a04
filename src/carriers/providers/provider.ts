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
  /** Set if the response may be longer than usual. */
  maxResponseBytes?: number
}

export interface ProviderAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type SubmitResult =
  | { kind: 'accepted'; carrierId: string; facts: PhoneFacts }
  /** `isForAll`: the provider sent Retry-After, and nothing is sent to it until then. */
  | { kind: 'throttled'; retryAfterMs?: number; isForAll?: boolean }
  | { kind: 'failed'; errorCode: ErrorCode; carrierCode: string; isUnmapped: boolean }
  /** It refuses the sending number. Other numbers continue. */
  | { kind: 'sender'; carrierCode: string }
  /** The operator's problem. It never fails a customer's message. */
  | { kind: 'fault'; detail: string }
  | { kind: 'unknown'; detail: string }

export interface ReceiptCallback {
  kind: 'receipt'
  carrierId: string
  /** UNCONFIRMED: the outcome will never be known. The message stays as it is. */
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | 'UNCONFIRMED'
  errorCode: ErrorCode | null
  /** Code and text as received. */
  carrierCode: string | null
  isUnmapped: boolean
  /** The reference that we sent with the message, as returned. */
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

/** A brand or campaign has changed there. Query it for details. */
interface RegistrationCallback {
  kind: 'registration'
  accountId: AccountId
  recordId: string
}

export type ProviderCallback = ReceiptCallback | InboundCallback | RegistrationCallback

export interface CallbackContext {
  /** As configured at the provider, never from headers. */
  url: string
  now: Date
}

export interface MessageApi {
  /** A request that costs nothing and shows whether the key is valid. */
  probe: () => ProviderRequest
  submit: (submission: Submission, statusUrl: string) => ProviderRequest
  readSubmit: (answer: ProviderAnswer, now: Date) => SubmitResult
  /**
   * Lists candidates for a message with an unknown outcome, since we accepted it. Absent: the provider has no
   * list.
   */
  query?: (submission: Submission, acceptedAt: Date) => ProviderRequest
  /** Null: the provider does not report it. */
  readQuery?: (
    answer: ProviderAnswer,
    submission: Submission,
    acceptedAt: Date,
  ) => Omit<Listed, 'link'> | null
  /** Looks up a phone number, for a fee. Absent: no lookup. */
  lookUp?: (number: string) => ProviderRequest
  /** Null: not reported. */
  readLookUp?: (answer: ProviderAnswer) => PhoneFacts | null
  /** Credentials for files of inbound messages, on the provider's own host. Absent: files are public. */
  mediaHeaders?: () => Record<string, string>
  isGenuine: (request: CallbackRequest, at: CallbackContext) => boolean | Promise<boolean>
  /** Null: not in a known format. */
  readCallbacks: (request: CallbackRequest) => ProviderCallback[] | null
  /** The reply it expects once a callback is stored. */
  storedReply: CallbackReply
}
