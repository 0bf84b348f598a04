// All settings of an SMPP link, as plain data. The reader of the carriers file fills in defaults (USUAL_SMPP). The
// link does not check them again.

import type { Network, SilencePolicy } from '../../messages/carrier-port.js'
import type { IdForm } from '../../smpp/receipt-ids.js'
import { type Coding, USUAL_CODINGS } from '../../smpp/text/data-coding.js'
import type { LongStyle } from '../../smpp/text/split-message.js'
import type { CarrierCodes } from '../smpp-errors.js'

/** How a TLV's value is encoded: text with a NUL, text without, a number, or bytes in hex. */
export type TlvFormat = 'cstring' | 'text' | 'int1' | 'int2' | 'int4' | 'hex'

export interface SmppTls {
  /** Trusted certificates in PEM. Null: the machine's own. */
  ca: string | null
  /** The name that the certificate must have. Null: the host. */
  serverName: string | null
  minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** Our own certificate and its key, in PEM, if the carrier requires one. */
  cert: string | null
  key: string | null
}

/** How numbers are written. */
export interface NumberStyle {
  /** Type of number and numbering plan. Null: derived from the number. */
  ton: number | null
  npi: number | null
  /** For +14155550123: `14155550123`, `+14155550123`, or `4155550123` (North America only). */
  format: 'digits' | 'plus' | 'national'
}

export interface CampaignTlv {
  tag: number
  /** The message field it carries. */
  value: 'campaign' | 'account' | 'message'
  format: TlvFormat
  /** Our ID to the carrier's, such as the registry's. An ID without an entry is sent as it is. */
  names: ReadonlyMap<string, string>
}

/** Sent unchanged with every message. */
interface FixedTlv {
  tag: number
  format: TlvFormat
  value: string
}

/** Where responses and inbound messages name the phone's network. */
export interface NetworkTlv {
  tag: number
  /** The carrier's value, as text or as a decimal number, to ours. A missing value is another network. */
  networks: ReadonlyMap<string, Network>
}

export interface SmppLinkSettings {
  name: string
  host: string
  port: number
  /** Null: without TLS. */
  tls: SmppTls | null
  systemId: string
  password: string
  systemType: string
  addressRange: string
  /** `transmitter_receiver`: two connections for each bind, one per direction. */
  bindMode: 'transceiver' | 'transmitter_receiver'
  /** The number of binds, or pairs of them. */
  binds: number
  /** The maximum number of unanswered messages on each bind. */
  window: number
  /** The maximum number of parts per second over all binds. Null: no limit except the carrier's throttling. */
  perSecond: number | null
  /** Whether perSecond applies to all processes together instead of each. */
  shared: boolean

  responseTimeoutMs: number
  /** Idle time before we send enquire_link. */
  enquireLinkMs: number
  /** To connect and bind. */
  bindTimeoutMs: number
  reconnect: { firstMs: number; maxMs: number }

  /** The carrier's alphabets, in order of preference. */
  codings: readonly Coding[]
  longStyle: LongStyle
  source: NumberStyle
  destination: NumberStyle
  serviceType: string
  /** For which parts receipts are requested. */
  registeredDelivery: 'all' | 'last' | 'none'
  /** How the carrier is told when a message expires. */
  validity: 'relative' | 'absolute' | 'none'
  campaignTlv: CampaignTlv | null
  fixedTlvs: readonly FixedTlv[]
  /** Whether each message carries a user_message_reference, which matches receipts with an unknown ID. */
  messageReference: boolean

  /** How IDs are written in responses and receipts. `auto`: both are tried. */
  answerIdForm: IdForm | 'auto'
  receiptIdForm: IdForm | 'auto'
  /** The time zone of receipts. */
  receiptUtcOffsetMinutes: number
  /** What the carrier's own codes mean. */
  carrierCodes: CarrierCodes
  answerNetwork: NetworkTlv | null
  inboundNetwork: NetworkTlv | null
  /** The TLV that identifies an inbound message, the same on redelivery. Null: none. */
  inboundIdTag: number | null

  /** How long to wait for evidence without a response, and what happens then. */
  settleSeconds: number
  unknown: SilencePolicy

  /** A trace file for tshark with all traffic of the link. Null: none. */
  traceFile: string | null
  /** Beyond this size a new file starts, and the previous one stays next to it. */
  traceMaxBytes: number
}

const USUAL_NUMBERS: NumberStyle = { ton: null, npi: null, format: 'digits' }

/** Defaults for settings that a file omits. The others are required. */
export const USUAL_SMPP: Omit<
  SmppLinkSettings,
  'name' | 'host' | 'port' | 'systemId' | 'password'
> = {
  tls: null,
  systemType: '',
  addressRange: '',
  bindMode: 'transceiver',
  binds: 1,
  window: 10,
  perSecond: null,
  shared: false,
  responseTimeoutMs: 30_000,
  enquireLinkMs: 30_000,
  bindTimeoutMs: 10_000,
  reconnect: { firstMs: 1_000, maxMs: 60_000 },
  codings: USUAL_CODINGS,
  longStyle: 'udh8',
  source: USUAL_NUMBERS,
  destination: USUAL_NUMBERS,
  serviceType: '',
  registeredDelivery: 'all',
  validity: 'relative',
  campaignTlv: null,
  fixedTlvs: [],
  messageReference: true,
  answerIdForm: 'auto',
  receiptIdForm: 'auto',
  receiptUtcOffsetMinutes: 0,
  carrierCodes: {},
  answerNetwork: null,
  inboundNetwork: null,
  inboundIdTag: null,
  settleSeconds: 120,
  unknown: { mayRepeat: false },
  traceFile: null,
  traceMaxBytes: 100 * 1024 * 1024,
}

/** How long a link may hold a message while the dispatcher waits for its answer. */
export interface SenderLimits {
  /** How long a message may wait for its turn. */
  waitMaxMs: number
  /** How long one may take in total, once a part of it was sent. */
  takeMaxMs: number
  pollEveryMs: number
}

/** The dispatcher treats 45 seconds of silence as `unknown`. */
export const USUAL_LIMITS: SenderLimits = {
  waitMaxMs: 20_000,
  takeMaxMs: 42_000,
  pollEveryMs: 1_000,
}
