// What a session reports to its owner. Bytes and time go in, and these events come out.

import type { PduProblem } from '../pdu/decode.js'
import type { BodyOf, PduOf, ResponsePdu } from '../pdu/pdu.js'
import type { Tlv } from '../pdu/tlv.js'

/** ESME: who binds, a customer. SMSC: who is bound to, a carrier. */
export type Side = 'esme' | 'smsc'

export type BindName = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'
export type BindPdu = PduOf<BindName>

/** Requests that carry work; all others are the session's own. */
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
  /** Orderly, by us or by the peer. */
  | 'unbound'
  | 'peer_unbound'
  | 'bind_refused'
  | 'bind_timeout'
  /** It answered no enquire_link, or a whole window of messages not. */
  | 'peer_silent'
  /** Bytes that are no frames, or frame after frame that is no PDU. */
  | 'garbage'
  /** The socket ended, or the driver ended it. */
  | 'disconnected'

/** The outcome of a request: exactly one for each that left. */
export type RequestOutcome =
  /** Its own response, whatever the status. */
  | { kind: 'answered'; pdu: ResponsePdu }
  /** The peer did not understand it, and so did not take it. */
  | { kind: 'nacked'; status: number }
  /** The bytes left, and nobody knows. */
  | { kind: 'unknown'; reason: 'timeout' | 'closed' | 'malformed' }

export type SessionEvent<T> =
  | { kind: 'bind_requested'; pdu: BindPdu }
  | { kind: 'bound'; as: BindName }
  | { kind: 'bind_refused'; status: number }
  /** Work from the peer, to be answered once by `respond`. */
  | { kind: 'request'; pdu: WorkPdu }
  /** What nobody answers. */
  | { kind: 'notice'; pdu: PduOf<'outbind' | 'alert_notification'> }
  | { kind: 'outcome'; token: T; outcome: RequestOutcome }
  /** After its outcome was told as unknown: what the peer said of it all the same. */
  | { kind: 'late_answer'; token: T; pdu: ResponsePdu }
  /** An answer to what was never asked, a second one, or one of another kind. */
  | { kind: 'stray_answer'; pdu: ResponsePdu }
  | { kind: 'problem'; problem: PduProblem }
  /** The peer sent an unbind. Nothing new leaves; it is answered when what is pending is, or after a while. */
  | { kind: 'peer_unbinding' }
  /** The last of all. */
  | { kind: 'closed'; reason: CloseReason; detail: string }

export interface SessionSettings {
  side: Side
  /** Requests that may be on their way unanswered. */
  window: number
  responseTimeoutMs: number
  /** Silence after which we send enquire_link. */
  enquireLinkMs: number
  /** How long a connection may go without a bind. */
  bindTimeoutMs: number
  /** How long a peer's unbind waits for what is pending; default: as long as a response may take. */
  peerUnbindMs?: number
  /** Requests of the peer that may wait for our answer; beyond them it is told to come again. */
  unansweredMax: number
  frameMax?: number
}

/** What work of the peer is answered with. */
export interface PeerAnswer<C extends WorkName> {
  status?: number
  fields?: Partial<BodyOf<`${C}_resp`>>
  tlvs?: readonly Tlv[]
}
