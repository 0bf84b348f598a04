// Writes a receipt the way an SMSC does, for our own SMSC and for customers who bind to us. Both as TLVs and as
// text, because clients differ in which one they read.

import { MINUTE_MS } from '../kit/clock.js'
import { type MessageState, numberOfState } from './message-state.js'
import { makeStandardTlv, type Tlv } from './pdu/tlv.js'
import { RECEIPT } from './receipt.js'

export interface WrittenReceipt {
  messageId: string
  state: MessageState
  /** At most three digits. Zero: no error. */
  error: number
  submittedAt: Date
  doneAt: Date
  /** The first 20 characters are quoted. */
  text: string
}

const QUOTED = 20

/** Seven letters, as in the specification. */
const STATE_CODES: Record<MessageState, string> = {
  SCHEDULED: 'ENROUTE',
  ENROUTE: 'ENROUTE',
  DELIVERED: 'DELIVRD',
  EXPIRED: 'EXPIRED',
  DELETED: 'DELETED',
  UNDELIVERABLE: 'UNDELIV',
  ACCEPTED: 'ACCEPTD',
  UNKNOWN: 'UNKNOWN',
  REJECTED: 'REJECTD',
  SKIPPED: 'REJECTD',
}

export function writeReceipt(receipt: WrittenReceipt): {
  esmClass: number
  shortMessage: Buffer
  tlvs: Tlv[]
} {
  const { messageId, state } = receipt
  return {
    esmClass: RECEIPT,
    shortMessage: Buffer.from(receiptText(receipt), 'latin1'),
    tlvs: [
      makeStandardTlv('receiptedMessageId', messageId),
      makeStandardTlv('messageState', numberOfState(state)),
    ],
  }
}

function receiptText({
  messageId,
  state,
  error,
  submittedAt,
  doneAt,
  text,
}: WrittenReceipt): string {
  // These characters have the same code in every alphabet of a link.
  const quoted = text.slice(0, QUOTED).replaceAll(/[^ -#%-?A-Za-z]/g, '?')
  return [
    `id:${messageId}`,
    'sub:001',
    `dlvrd:${state === 'DELIVERED' ? '001' : '000'}`,
    `submit date:${minuteOf(submittedAt)}`,
    `done date:${minuteOf(doneAt)}`,
    `stat:${STATE_CODES[state]}`,
    `err:${String(error).padStart(3, '0')}`,
    `text:${quoted}`,
  ].join(' ')
}

let lastMinute = { number: Number.NaN, written: '' }

/** YYMMDDhhmm, in UTC. Receipts of the same minute share it. */
function minuteOf(at: Date): string {
  const number = Math.floor(at.getTime() / MINUTE_MS)
  if (number !== lastMinute.number) {
    lastMinute = { number, written: at.toISOString().slice(2, 16).replaceAll(/\D/g, '') }
  }
  return lastMinute.written
}
