// All settings of an SMPP link, as plain data. The reader of the carriers file fills in defaults (USUAL_SMPP). The
// link does not check them again.

import type { Network, SilencePolicy } from '../../messages/carrier-port.js'
import type { IdForm } from '../../smpp/receipt-ids.js'
import { type Coding, USUAL_CODINGS } from '../../smpp/text/data-coding.js'
import type { LongStyle } from '../../smpp/text/split-message.js'
import type { CarrierCodes } from '../smpp-errors.js'

/** How a TLV's value is written: text with a NUL, text without, a number, or bytes given in hex. */
export type TlvFormat = 'cstring' | 'text' | 'int1' | 'int2' | 'int4' | 'hex'

export interface SmppTls {
  /** Certificates to trust, in PEM; null: those that the machine trusts. */
  ca: string | null
  /** The name that the certificate must have; null: the host. */
  serverName: string | null
  minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** Our own certificate and its key, in PEM, where the carrier asks for one. */
  cert: string | null
  key: string | null
}

/** How numbers are written. */
export interface NumberStyle {
  /** Type of number and numbering plan; null: by what the number is. */
  ton: number | null
  npi: number | null
  /** Of +14155550123: `14155550123`, `+14155550123`, or `4155550123` (North America only). */
  format: 'digits' | 'plus' | 'national'
}

export interface CampaignTlv {
  tag: number
  /** Which field of the message it carries. */
  value: 'campaign' | 'account' | 'message'
  format: TlvFormat
  /** Our id to the carrier's, such as that of the registry; an id without an entry goes out as it is. */
  names: ReadonlyMap<string, string>
}

/** Sent with every message, as it is. */
interface FixedTlv {
  tag: number
  format: TlvFormat
  value: string
}

/** Where answers and inbound messages name the phone's network. */
export interface NetworkTlv {
  tag: number
  /** The carrier's word for it, as text or as a number in decimal, to ours; what is missing is another network. */
  networks: ReadonlyMap<string, Network>
}

export interface SmppLinkSettings {
  name: string
  host: string
  port: number
  /** Null: in the clear. */
  tls: SmppTls | null
  systemId: string
  password: string
  systemType: string
  addressRange: string
  /** `transmitter_receiver`: two connections for each bind, one for either direction. */
  bindMode: 'transceiver' | 'transmitter_receiver'
  /** How many binds, or pairs of them. */
  binds: number
  /** Unanswered messages at most, on each bind. */
  window: number
  /** Parts of messages a second at most, over all binds; null: no limit but the carrier's complaints. */
  perSecond: number | null
  /** Whether all processes together keep perSecond, instead of each one. */
  shared: boolean

  responseTimeoutMs: number
  /** Silence after which we send enquire_link. */
  enquireLinkMs: number
  /** To connect and bind. */
  bindTimeoutMs: number
  reconnect: { firstMs: number; maxMs: number }

  /** What the carrier reads, in the order of preference. */
  codings: readonly Coding[]
  longStyle: LongStyle
  source: NumberStyle
  destination: NumberStyle
  serviceType: string
  /** For which parts receipts are requested. */
  registeredDelivery: 'all' | 'last' | 'none'
  /** How the carrier is told when a message is no longer worth delivering. */
  validity: 'relative' | 'absolute' | 'none'
  campaignTlv: CampaignTlv | null
  fixedTlvs: readonly FixedTlv[]
  /** Whether each message carries a user_message_reference, by which a receipt with an unknown id is found. */
  messageReference: boolean

  /** How ids are written in answers and in receipts; `auto`: either way is tried. */
  answerIdForm: IdForm | 'auto'
  receiptIdForm: IdForm | 'auto'
  /** Of the clock by which receipts are dated. */
  receiptUtcOffsetMinutes: number
  /** What the carrier's own codes mean. */
  carrierCodes: CarrierCodes
  answerNetwork: NetworkTlv | null
  inboundNetwork: NetworkTlv | null
  /** The TLV by which the carrier names an inbound message, the same when it comes again; null: there is none. */
  inboundIdTag: number | null

  /** How long evidence is waited for where no response came, and what happens then. */
  settleSeconds: number
  unknown: SilencePolicy

  /** A file that tshark reads, with everything that is said on the link; null: none. */
  traceFile: string | null
  /** Beyond it a new file starts, and the previous one stays next to it. */
  traceMaxBytes: number
}

const USUAL_NUMBERS: NumberStyle = { ton: null, npi: null, format: 'digits' }

/** Defaults for settings that a file leaves out; the others are required. */
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

/** How long a link may hold a message: the dispatcher waits for its answer. */
export interface SenderLimits {
  /** How long a message may wait for its turn. */
  waitMaxMs: number
  /** How long one may take in all, once a part of it has left. */
  takeMaxMs: number
  pollEveryMs: number
}

/** The dispatcher treats 45 seconds of silence as `unknown`. */
export const USUAL_LIMITS: SenderLimits = {
  waitMaxMs: 20_000,
  takeMaxMs: 42_000,
  pollEveryMs: 1_000,
}
