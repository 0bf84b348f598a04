// A message, inbound or outbound. `number` is ours and `peer` is the other party's, whichever is `from` or `to` on
// the wire.

import type { AccountId } from '../accounts/account.js'
import type { KeywordName } from '../text/keywords.js'
import type { Status } from './message-state.js'

export const DIRECTIONS = ['INBOUND', 'OUTBOUND'] as const
export type Direction = (typeof DIRECTIONS)[number]

export type MessageType = 'SMS' | 'MMS'

/**
 * An outbound message under the API's names. Every stage from the request to the carrier extends it with what that
 * stage knows.
 */
export interface OutboundMessage {
  campaignId: string
  type: MessageType
  /** Our number. */
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
}

export interface MessageKey {
  accountId: AccountId
  id: string
}

/** Messages in one batch request, and in one statement that accepts them. */
export const BATCH_MESSAGES_MAX = 1_000

export interface Message extends MessageKey {
  campaignId: string
  type: MessageType
  direction: Direction
  /** The keyword that triggered this automatic reply. Null on all others. */
  automatic: KeywordName | null
  number: string
  peer: string
  body: string
  mediaUrls: string[]
  metadata: Readonly<Record<string, string>>
  numSegments: number
  priceMicros: bigint
  isRefunded: boolean
  status: Status
  errorCode: number | null
  errorMessage: string | null
  scheduledAt: Date | null
  /** Null: the default. */
  validitySeconds: number | null
  sentAt: Date | null
  createdAt: Date
  updatedAt: Date | null
}
