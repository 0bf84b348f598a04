// Maps the statuses of an SMPP peer to our error codes: one table for command statuses and receipts. A status
// without an entry does not compile. Codes specific to one carrier are a setting of its link. A response is never
// `unknown`: only a missing response is.

import type { Failed } from '../messages/carrier-port.js'
import { type ErrorCode, SENDER_REFUSED } from '../messages/message-errors.js'
import { isFinalState, type MessageState } from '../smpp/message-state.js'
import { type StatusName, statusName } from '../smpp/pdu/status.js'
import type { SmppReceipt } from '../smpp/receipt.js'

/**
 * A number is the error code of the failed message. `slow_down`: not accepted, retry later. `down`: the bind is
 * unusable.
 */
type StatusMeaning = 'sent' | 'slow_down' | 'down' | ErrorCode

/** Refusals that name the recipient concern the recipient. All others concern us or the carrier. */
const STATUS_MEANINGS: Record<StatusName, StatusMeaning> = {
  ESME_ROK: 'sent',
  ESME_RINVMSGLEN: 1375,
  ESME_RINVCMDLEN: 1375,
  ESME_RINVCMDID: 1375,
  ESME_RINVBNDSTS: 'down',
  ESME_RALYBND: 'down',
  ESME_RINVPRTFLG: 1375,
  ESME_RINVREGDLVFLG: 1375,
  ESME_RSYSERR: 'slow_down',
  ESME_RINVSRCADR: 1345,
  ESME_RINVDSTADR: 1350,
  ESME_RINVMSGID: 1375,
  ESME_RBINDFAIL: 'down',
  ESME_RINVPASWD: 'down',
  ESME_RINVSYSID: 'down',
  ESME_RCANCELFAIL: 1375,
  ESME_RREPLACEFAIL: 1375,
  ESME_RMSGQFUL: 'slow_down',
  ESME_RINVSERTYP: 1375,
  ESME_RINVNUMDESTS: 1375,
  ESME_RINVDLNAME: 1375,
  ESME_RINVDESTFLAG: 1375,
  ESME_RINVSUBREP: 1375,
  ESME_RINVESMCLASS: 1375,
  ESME_RCNTSUBDL: 1375,
  ESME_RSUBMITFAIL: 1375,
  ESME_RINVSRCTON: 1375,
  ESME_RINVSRCNPI: 1375,
  ESME_RINVDSTTON: 1375,
  ESME_RINVDSTNPI: 1375,
  ESME_RINVSYSTYP: 'down',
  ESME_RINVREPFLAG: 1375,
  ESME_RINVNUMMSGS: 1375,
  ESME_RTHROTTLED: 'slow_down',
  ESME_RINVSCHED: 1375,
  ESME_RINVEXPIRY: 1375,
  ESME_RINVDFTMSGID: 1375,
  ESME_RX_T_APPN: 'slow_down',
  ESME_RX_P_APPN: 1375,
  ESME_RX_R_APPN: 1375,
  ESME_RQUERYFAIL: 1375,
  ESME_RINVOPTPARSTREAM: 1375,
  ESME_ROPTPARNOTALLWD: 1375,
  ESME_RINVPARLEN: 1375,
  ESME_RMISSINGOPTPARAM: 1375,
  ESME_RINVOPTPARAMVAL: 1375,
  ESME_RDELIVERYFAILURE: 1380,
  ESME_RUNKNOWNERR: 1499,
  ESME_RSERTYPUNAUTH: 1375,
  ESME_RPROHIBITED: 1375,
  ESME_RSERTYPUNAVAIL: 'slow_down',
  ESME_RSERTYPDENIED: 1375,
  ESME_RINVDCS: 1375,
  ESME_RINVSRCADDRSUBUNIT: 1375,
  ESME_RINVDSTADDRSUBUNIT: 1375,
}

/** Refusals of a single message without a specific code here: its length, or a decision about its text. */
const OF_THE_MESSAGE: ReadonlySet<StatusName | null> = new Set<StatusName>([
  'ESME_RINVMSGLEN',
  'ESME_RX_P_APPN',
  'ESME_RX_R_APPN',
])

/**
 * What a refusal concerns. A meaning from the link's settings concerns the message, otherwise they would say
 * `down`.
 */
function concernOf(
  name: StatusName | null,
  meaning: ErrorCode,
  isOwn: boolean,
): Pick<Failed, 'concerns'> {
  if (meaning === SENDER_REFUSED) return { concerns: 'sender' }
  const isVague = meaning === 1375 || meaning === 1499
  return isVague && !isOwn && !OF_THE_MESSAGE.has(name) ? { concerns: 'link' } : {}
}

/** For one link, as its carrier writes them: vendor statuses, and codes in the `err:` of its receipts. */
export interface CarrierCodes {
  statuses?: ReadonlyMap<number, StatusMeaning>
  receiptErrors?: ReadonlyMap<string, ErrorCode>
}

type StatusOutcome =
  | { kind: 'sent' }
  | { kind: 'slow_down' }
  | { kind: 'down' }
  | ({ kind: 'failed'; errorCode: ErrorCode; carrierCode: string } & Pick<Failed, 'concerns'>)

/** What the response to a submit means for its message. */
export function statusMeaning(status: number, codes: CarrierCodes = {}): StatusOutcome {
  const name = statusName(status)
  const own = codes.statuses?.get(status)
  const meaning = own ?? (name ? STATUS_MEANINGS[name] : 1499)
  if (typeof meaning === 'string') return { kind: meaning }
  const carrierCode = name ?? `0x${status.toString(16)}`
  const about = concernOf(name, meaning, own !== undefined)
  return { kind: 'failed', errorCode: meaning, carrierCode, ...about }
}

/** The default. An expired message was tried until the carrier gave up. */
const FAILED_STATES: Partial<Record<MessageState, ErrorCode>> = {
  EXPIRED: 1380,
  DELETED: 1375,
  UNDELIVERABLE: 1499,
  REJECTED: 1375,
  SKIPPED: 1375,
}

/** Errors of GSM networks (MAP, 3GPP TS 29.002). */
const GSM_ERRORS: ReadonlyMap<number, ErrorCode> = new Map([
  [1, 1350], // unknown subscriber
  [5, 1350], // unidentified subscriber
  [6, 1380], // absent subscriber, of SM
  [9, 1350], // illegal subscriber
  [11, 1350], // no text messages for this subscriber
  [12, 1350], // illegal equipment
  [13, 1375], // barred
  [21, 1375], // facility not supported
  [27, 1380], // absent subscriber
  [31, 1380], // busy
  [32, 1380], // the phone did not take it
  [33, 1380], // too many are waiting for it
])

const GSM_NETWORK = 3
const SMPP_NETWORK = 7

type ReceiptOutcome =
  | { status: 'DELIVERED'; errorCode: null; carrierCode: null }
  /** The carrier accepted it and does not know the outcome. */
  | { status: 'SENT'; errorCode: null; carrierCode: string; isUnconfirmed: true }
  | { status: 'FAILED'; errorCode: ErrorCode; carrierCode: string }

/** Null: nothing final has happened, or the outcome is not stated. */
export function receiptMeaning(
  receipt: SmppReceipt,
  codes: CarrierCodes = {},
): ReceiptOutcome | null {
  const { state } = receipt
  if (state === null || !isFinalState(state)) return null
  if (state === 'DELIVERED') return { status: 'DELIVERED', errorCode: null, carrierCode: null }
  if (state === 'UNKNOWN') {
    const carrierCode = carrierCodeOf(receipt, state)
    return { status: 'SENT', errorCode: null, carrierCode, isUnconfirmed: true }
  }
  const errorCode = receiptError(receipt, codes) ?? FAILED_STATES[state] ?? 1499
  return { status: 'FAILED', errorCode, carrierCode: carrierCodeOf(receipt, state) }
}

function receiptError({ error, network }: SmppReceipt, codes: CarrierCodes): ErrorCode | null {
  const own = error === null ? undefined : codes.receiptErrors?.get(error)
  if (own !== undefined) return own
  if (network?.type === GSM_NETWORK) return GSM_ERRORS.get(network.code) ?? null
  if (network?.type !== SMPP_NETWORK) return null
  const meaning = statusMeaning(network.code, codes)
  return meaning.kind === 'failed' ? meaning.errorCode : null
}

/** Stored with the message, for inquiries to the carrier. */
function carrierCodeOf({ error, network }: SmppReceipt, state: MessageState): string {
  if (error !== null) return `${state} ${error}`
  return network ? `${state} ${network.type}:${network.code}` : state
}
