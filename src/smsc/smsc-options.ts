// The options of our own SMSC: who can bind, how it responds to messages, and how it misbehaves. All are optional, and
// faults can be changed while it runs.

import type { Coding } from '../smpp/text/data-coding.js'
import { USUAL_CODINGS } from '../smpp/text/data-coding.js'
import type { IdNumbering } from './message-ids.js'

/** How it misbehaves. Percentages are of submits, chosen at random. */
export interface Faults {
  /** Refused with ESME_RTHROTTLED. */
  throttle: number
  /** Submits per second over all connections. More get ESME_RTHROTTLED. Null: no limit. */
  rate: number | null
  /** Refused with ESME_RMSGQFUL. */
  queueFull: number
  /** Refuses every submit with this command status. Null: refuses none. */
  refuse: number | null
  /** Accepted without a response. */
  lose: number
  /** The delay of a response. */
  delayMs: number
  /** Responses come in another order than the submits. */
  reorder: boolean
  /** Every response is sent twice. */
  duplicateAnswers: boolean
  /** Cuts the connection after this many submits. The last is accepted without a response. Null: never. */
  killEvery: number | null
  /** After this many submits, nothing more is read or written on the connection, which stays open. */
  freezeAfter: number | null
}

/** `mix`: three of four are delivered, chosen at random. */
export type ReceiptMood = 'delivered' | 'failed' | 'none' | 'mix'

export interface SmscSettings extends Faults, IdNumbering {
  host: string
  /** 0: any free port. */
  port: number
  tls: { cert: string | Buffer; key: string | Buffer } | null
  /** Null: any credentials can bind. */
  systemId: string | null
  password: string | null
  receipts: ReceiptMood
  receiptDelayMs: number
  /** Where a receipt has its fields. Most readers support only one place. */
  receiptDialect: 'text' | 'tlv' | 'both'
  /** Whether receipts return the user_message_reference of their message. */
  returnsReference: boolean
  /** Unacknowledged deliveries are repeated after this time. */
  redeliverMs: number
  /** Replies to the last message at this interval. Null: never. */
  inboundEveryMs: number | null
  /** How it decodes and encodes texts. */
  codings: readonly Coding[]
  /** The maximum number of unacknowledged deliveries per connection. */
  window: number
  /** The seed of all random choices. */
  seed: number
  /** The number of messages to store. Older ones are dropped. */
  acceptedMax: number
}

export type SmscOptions = Partial<SmscSettings>

const NO_FAULTS: Faults = {
  throttle: 0,
  rate: null,
  queueFull: 0,
  refuse: null,
  lose: 0,
  delayMs: 0,
  reorder: false,
  duplicateAnswers: false,
  killEvery: null,
  freezeAfter: null,
}

export const USUAL_SMSC: SmscSettings = {
  ...NO_FAULTS,
  host: '127.0.0.1',
  port: 0,
  tls: null,
  systemId: null,
  password: null,
  receipts: 'delivered',
  receiptDelayMs: 20,
  receiptDialect: 'both',
  returnsReference: true,
  idForm: 'hex',
  receiptIdForm: null,
  redeliverMs: 1_000,
  inboundEveryMs: null,
  codings: USUAL_CODINGS,
  window: 100,
  seed: 1,
  acceptedMax: 10_000,
}
