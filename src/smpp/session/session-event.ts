// What a session reports to its owner. Bytes and time go in, and these events come out.

import type { PduProblem } from '../pdu/decode.js'
import type { BodyOf, PduOf, ResponsePdu } from '../pdu/pdu.js'
import type { Tlv } from '../pdu/tlv.js'

/** ESME: the side that binds, a customer. SMSC: the side that accepts binds, a carrier. */
export type Side = 'esme' | 'smsc'

export type BindName = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'
export type BindPdu = PduOf<BindName>

/** Requests that carry work. All others belong to the session itself. */
export type WorkName =
  | 'submit_sm'
  | 'deliver_sm'
  | 'data_sm'
  | 'query_sm'
  | 'cancel_sm'
  | 'replace_sm'
export type WorkPdu = PduOf<WorkName>

export type SessionState = 'open' | 'binding' | 'bound' | 'unbinding' | 'closed'

export type CloseReason =
  /** Orderly, started by us or the peer. */
  | 'unbound'
  | 'peer_unbound'
  | 'bind_refused'
  | 'bind_timeout'
  /** It did not respond to enquire_link, or to a whole window of messages. */
  | 'peer_silent'
  /** Bytes that are not frames, or frames that are not PDUs. */
  | 'garbage'
  /** The socket ended, or its owner closed it. */
  | 'disconnected'

/** The outcome of a request: exactly one for each that was sent. */
export type RequestOutcome =
  /** Its own response, whatever the status. */
  | { kind: 'answered'; pdu: ResponsePdu }
  /** The peer did not understand it, and so did not accept it. */
  | { kind: 'nacked'; status: number }
  /** It was sent, and the outcome is unknown. */
  | { kind: 'unknown'; reason: 'timeout' | 'closed' | 'malformed' }

export type SessionEvent<T> =
  | { kind: 'bind_requested'; pdu: BindPdu }
  | { kind: 'bound'; as: BindName }
  | { kind: 'bind_refused'; status: number }
  /** Work from the peer. Answer it once with `respond`. */
  | { kind: 'request'; pdu: WorkPdu }
  /** Requests that need no response. */
  | { kind: 'notice'; pdu: PduOf<'outbind' | 'alert_notification'> }
  | { kind: 'outcome'; token: T; outcome: RequestOutcome }
  /** A late response, after the outcome was reported as unknown. */
  | { kind: 'late_answer'; token: T; pdu: ResponsePdu }
  /** A response to no known request, a second response, or one of another kind. */
  | { kind: 'stray_answer'; pdu: ResponsePdu }
  | { kind: 'problem'; problem: PduProblem }
  /**
   * The peer sent an unbind. Nothing new is sent. It is answered when pending requests are settled, or after a
   * timeout.
   */
  | { kind: 'peer_unbinding' }
  /** Always the last event. */
  | { kind: 'closed'; reason: CloseReason; detail: string }

export interface SessionSettings {
  side: Side
  /** The maximum number of unanswered requests. */
  window: number
  responseTimeoutMs: number
  /** Idle time before we send enquire_link. */
  enquireLinkMs: number
  /** How long a connection may stay unbound. */
  bindTimeoutMs: number
  /** How long a peer's unbind waits for pending requests. Default: the response timeout. */
  peerUnbindMs?: number
  /**
   * The maximum number of peer requests that wait for our response. Further ones get a status that asks for a
   * retry.
   */
  unansweredMax: number
  frameMax?: number
}

/** The response to the peer's work. */
export interface PeerAnswer<C extends WorkName> {
  status?: number
  fields?: Partial<BodyOf<`${C}_resp`>>
  tlvs?: readonly Tlv[]
}
