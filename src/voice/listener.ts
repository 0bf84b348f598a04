// What SIP listeners have in common for every transport: the answerer they use, and their counters.

import type { SipOutcome } from '../sip/answer/answer-message.js'
import type { Source } from '../sip/message/via.js'

/** Whose connection it is, and how many trunks share the listener. */
export interface ConnectionShare {
  trunk: string
  trunks: number
}

/** Answers synchronously and never throws. */
export interface MessageAnswerer {
  /** Null: the address may not connect. Checked before a connection costs anything. */
  shareOf(source: Pick<Source, 'transport' | 'address'>): ConnectionShare | null
  /** How long to pause reading from the connection, checked after each chunk. */
  pauseMs(source: Source): number
  /** Null: the source is not allowed and gets no answer. */
  answer(bytes: Buffer, source: Source): SipOutcome | null
}

export interface SipListener {
  port: number
  counts: Readonly<ListenerCounts>
  /** Accepts nothing more, and resolves within a bounded time, whatever its peers do. */
  close(): Promise<void>
}

export interface ListenerCounts {
  /** Answers that could not be sent; the caller repeats its request. */
  unsent: number
  /** Open connections; always 0 for datagrams. */
  connections: number
  /** Connections closed immediately: not allowed, or too many. */
  refused: number
  /** Connections closed because of their peer's behavior. */
  cut: number
}

export function noCounts(): ListenerCounts {
  return { unsent: 0, connections: 0, refused: 0, cut: 0 }
}
