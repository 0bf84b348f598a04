// What listeners of calls have in common, whatever the transport: whom they ask for answers, and what is seen
// of them from outside.

import type { Outcome } from '../sip/answer/answer-message.js'
import type { Source } from '../sip/message/via.js'

/** Whose connection it is, and how many trunks share the listener. */
export interface ConnectionShare {
  trunk: string
  trunks: number
}

/** Answers at once and never throws. */
export interface MessageAnswerer {
  /** Null: nobody at the address is answered. Asked before a connection costs anything. */
  shareOf(source: Pick<Source, 'transport' | 'address'>): ConnectionShare | null
  /** How long to read nothing from the connection, asked after each chunk of it. */
  pauseMs(source: Source): number
  /** Null: the source is not allowed, and gets nothing. */
  answer(bytes: Buffer, source: Source): Outcome | null
}

export interface Listener {
  port: number
  counts: Readonly<ListenerCounts>
  /** Takes nothing more, and resolves within a bound, whatever its peers do. */
  close(): Promise<void>
}

export interface ListenerCounts {
  /** Answers that could not be sent; the caller asks again. */
  unsent: number
  /** Connections that are open now; always 0 for datagrams. */
  connections: number
  /** Connections that were closed as they came: not allowed, or too many. */
  refused: number
  /** Connections that were ended for what their peer did or left undone. */
  cut: number
}

export function noCounts(): ListenerCounts {
  return { unsent: 0, connections: 0, refused: 0, cut: 0 }
}
