// Reads a delivery receipt, from its TLVs if it has them, otherwise from its text. A text that only looks like a
// receipt is a message, because anyone with a phone could write it.

import { type MessageState, stateOfNumber } from './message-state.js'
import type { PduOf } from './pdu/pdu.js'
import { standardTlv, type Tlv } from './pdu/tlv.js'
import { idCandidates } from './receipt-ids.js'
import { parseReceiptText, type ReceiptText } from './receipt-text.js'
import { decodeText } from './text/alphabet.js'
import { messageBytes } from './text/read-message.js'

export interface SmppReceipt {
  /** As the receipt writes it: from the TLV first, then from the text if it differs. */
  writtenIds: readonly string[]
  /** As the receipt writes it, and every other spelling that the submit response may have used. */
  carrierIds: readonly string[]
  /** Null: no status, or an unknown one. */
  state: MessageState | null
  /** The carrier's own code, as received. Null if it means no error. */
  error: string | null
  /** From network_error_code: the network type (3 is GSM) and the code. */
  network: { type: number; code: number } | null
  submittedAt: Date | null
  doneAt: Date | null
  /** How the message begins, if the receipt quotes it. */
  quoted: string | null
  /** The user_message_reference of the submit, if the carrier returns it. */
  reference: number | null
}

/** Bits of esm_class: the message type, a final receipt, and an intermediate one. */
export const TYPE_BITS = 0x3c
export const RECEIPT = 0x04
export const INTERMEDIATE = 0x20
const UCS2 = 0x08

type ReceiptPdu = PduOf<'deliver_sm' | 'data_sm'>

/**
 * Some carriers omit the bits of esm_class and send the TLV. Phones can send neither. Others also put that TLV on
 * messages from phones, as Kannel's drive_smpp does: without a state, it is not a receipt.
 */
export function isReceipt(pdu: ReceiptPdu): boolean {
  const type = pdu.body.esmClass & TYPE_BITS
  if (type === RECEIPT || type === INTERMEDIATE) return true
  if (type !== 0 || !standardTlv(pdu.tlvs, 'receiptedMessageId')) return false
  return standardTlv(pdu.tlvs, 'messageState') !== undefined || saysState(textOf(pdu))
}

function saysState(text: string): boolean {
  const { id, state } = parseReceiptText(text)
  return id !== null && state !== null
}

/** The message is still in progress. Such a state is never final. */
export function isIntermediate(pdu: ReceiptPdu): boolean {
  return (pdu.body.esmClass & TYPE_BITS) === INTERMEDIATE
}

export function readReceipt(pdu: ReceiptPdu, utcOffsetMinutes = 0): SmppReceipt {
  return new ReadReceipt(pdu.tlvs, parseReceiptText(textOf(pdu), utcOffsetMinutes))
}

/** Thousands arrive per second, so rarely used fields are computed on demand. */
class ReadReceipt implements SmppReceipt {
  readonly writtenIds: readonly string[]
  readonly state: MessageState | null
  readonly network: SmppReceipt['network']
  readonly reference: number | null
  readonly #text: ReceiptText

  constructor(tlvs: readonly Tlv[], text: ReceiptText) {
    const state = standardTlv(tlvs, 'messageState')
    this.writtenIds = idsOf(standardTlv(tlvs, 'receiptedMessageId'), text)
    this.state = (state === undefined ? null : stateOfNumber(state)) ?? text.state
    this.network = networkError(standardTlv(tlvs, 'networkErrorCode'))
    this.reference = standardTlv(tlvs, 'userMessageReference') ?? null
    this.#text = text
  }

  get carrierIds(): readonly string[] {
    return [...new Set(this.writtenIds.flatMap(idCandidates))]
  }

  get error(): string | null {
    return this.#text.error
  }

  get submittedAt(): Date | null {
    return this.#text.submittedAt
  }

  get doneAt(): Date | null {
    return this.#text.doneAt
  }

  get quoted(): string | null {
    return this.#text.quoted
  }
}

/** If text and TLV differ, either may be the ID from the submit response. */
function idsOf(tlv: string | undefined, text: ReceiptText): string[] {
  const [first, second] = [tlv?.trim() ?? '', text.id?.trim() ?? '']
  if (first === '' || second === '' || first === second)
    return first || second ? [first || second] : []
  return [first, second]
}

/** Receipts are machine-written in ASCII, whatever the link's alphabet. */
function textOf(pdu: ReceiptPdu): string {
  return decodeText(pdu.body.dataCoding === UCS2 ? 'ucs2' : 'ascii', messageBytes(pdu))
}

/** One byte of type, two of code. */
function networkError(bytes: Buffer | undefined): SmppReceipt['network'] {
  return bytes?.length === 3 ? { type: bytes[0]!, code: bytes.readUInt16BE(1) } : null
}
