// The options of our own SMSC: who may bind, how it responds to messages, and how it misbehaves. All may be
// left out; faults may be changed while it runs.

import type { Coding } from '../smpp/text/data-coding.js'
import { USUAL_CODINGS } from '../smpp/text/data-coding.js'
import type { IdNumbering } from './message-ids.js'

/** How it misbehaves. Percentages are of submits, by chance. */
export interface Faults {
  /** Not taken, ESME_RTHROTTLED. */
  throttle: number
  /** Submits a second over all connections; those beyond get ESME_RTHROTTLED. Null: any number. */
  rate: number | null
  /** Not taken, ESME_RMSGQFUL. */
  queueFull: number
  /** Every submit is refused with this command status. Null: none is. */
  refuse: number | null
  /** Taken and never answered. */
  lose: number
  /** How long an answer takes. */
  delayMs: number
  /** Answers come in another order than the submits. */
  reorder: boolean
  /** Every answer comes twice. */
  duplicateAnswers: boolean
  /** The connection is cut after this many submits; the last is accepted and not answered. Null: never. */
  killEvery: number | null
  /** After this many submits nothing more is read from the connection nor written to it, and it stays open. */
  freezeAfter: number | null
}

/** `mix`: three of four delivered, by chance. */
export type ReceiptMood = 'delivered' | 'failed' | 'none' | 'mix'

export interface SmscSettings extends Faults, IdNumbering {
  host: string
  /** 0: the system chooses. */
  port: number
  tls: { cert: string | Buffer; key: string | Buffer } | null
  /** Null: anybody may bind, with any password. */
  systemId: string | null
  password: string | null
  receipts: ReceiptMood
  receiptDelayMs: number
  /** Where a receipt carries its fields; most readers know only one of them. */
  receiptDialect: 'text' | 'tlv' | 'both'
  /** Whether receipts return the user_message_reference of their message. */
  returnsReference: boolean
  /** What was not acknowledged is delivered again after that time. */
  redeliverMs: number
  /** Replies to the last message this often; null: never. */
  inboundEveryMs: number | null
  /** How it reads and writes texts. */
  codings: readonly Coding[]
  /** Unanswered deliveries at most, on each connection. */
  window: number
  /** Of all chance. */
  seed: number
  /** How many messages are remembered, the latest. */
  takenMax: number
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
  takenMax: 10_000,
}
