// Reads an inbound text: its characters, and which part of a long message it is, wherever the peer put that
// information. A phone may split a surrogate pair across parts. Each part then has one half, and joining them
// restores the character.

import type { PduOf } from '../pdu/pdu.js'
import { standardTlv } from '../pdu/tlv.js'
import { decodeText } from './alphabet.js'
import { alphabetOf, type Coding } from './data-coding.js'
import { UDHI } from './split-message.js'
import { type PartFacts, partFacts, readHeader } from './user-data-header.js'

type TextPdu = PduOf<'deliver_sm' | 'submit_sm' | 'data_sm'>

const ASCII = 1

export interface ReadMessage {
  /** Null: the bytes are not text. */
  text: string | null
  part: PartFacts | null
}

export function readMessage(pdu: TextPdu, codings: readonly Coding[]): ReadMessage {
  const bytes = messageBytes(pdu)
  const header = (pdu.body.esmClass & UDHI) === 0 ? null : readHeader(bytes)
  const start = header?.length ?? 0
  const body = bytes.subarray(start)
  const { dataCoding } = pdu.body
  const alphabet = isReallyGsm7(dataCoding, codings, body)
    ? 'gsm7'
    : alphabetOf(dataCoding, codings)
  return {
    text: alphabet && decodeText(alphabet, body, start),
    part: header?.part ?? sarPart(pdu),
  }
}

/**
 * npm `smpp` and others send GSM-7 with the data_coding of ASCII. The difference is visible where ASCII has
 * control codes, which nobody types: in GSM-7 these are letters, and the escape of € { }. If the link's settings
 * define the data_coding, they win.
 */
function isReallyGsm7(dataCoding: number, codings: readonly Coding[], bytes: Buffer): boolean {
  if (dataCoding !== ASCII || codings.some((coding) => coding.dataCoding === ASCII)) return false
  return bytes.some((byte) => byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
}

/** The short message, or the payload if it is empty. */
export function messageBytes(pdu: TextPdu): Buffer {
  if (pdu.command !== 'data_sm' && pdu.body.shortMessage.length > 0) return pdu.body.shortMessage
  return standardTlv(pdu.tlvs, 'messagePayload') ?? Buffer.alloc(0)
}

function sarPart({ tlvs }: TextPdu): PartFacts | null {
  const reference = standardTlv(tlvs, 'sarMsgRefNum')
  const total = standardTlv(tlvs, 'sarTotalSegments')
  const sequence = standardTlv(tlvs, 'sarSegmentSeqnum')
  if (reference === undefined || total === undefined || sequence === undefined) return null
  return partFacts(reference, total, sequence)
}
