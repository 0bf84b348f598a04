// Encodes an outbound text and splits it the way the carrier expects: parts with a header (8- or 16-bit reference),
// parts numbered by SAR TLVs, or whole in a message_payload.

import { makeStandardTlv, type Tlv } from '../pdu/tlv.js'
import { cutForSms, encodeText } from './alphabet.js'
import type { Coding } from './data-coding.js'
import {
  HEADER_8_LENGTH,
  HEADER_16_LENGTH,
  header8,
  header16,
  type PartFacts,
} from './user-data-header.js'

export type LongStyle = 'udh8' | 'udh16' | 'sar' | 'payload'

/** The part of the text in one submit_sm. `esmClass` has only the header bit. */
export interface MessagePart {
  esmClass: number
  dataCoding: number
  shortMessage: Buffer
  tlvs: readonly Tlv[]
}

/** Bit of esm_class: the text begins with a user data header. */
export const UDHI = 0x40

const PARTS_MAX = 255
const NO_BYTES = Buffer.alloc(0)

/** On the air, a part numbered by TLVs has the header that the carrier builds from them. */
const HEADER_LENGTH = { udh8: HEADER_8_LENGTH, udh16: HEADER_16_LENGTH, sar: HEADER_8_LENGTH }

/**
 * The reference distinguishes the parts of one message from those of another to the same phone: 0 to 65535, of
 * which `udh8` uses the lower byte. Throws if the text needs more than 255 parts.
 */
export function splitMessage(
  text: string,
  { alphabet, dataCoding }: Coding,
  style: LongStyle,
  reference: number,
): MessagePart[] {
  const whole = { esmClass: 0, dataCoding, shortMessage: NO_BYTES, tlvs: [] }
  if (cutForSms(alphabet, text, 0).length <= 1) {
    return [{ ...whole, shortMessage: encodeText(alphabet, text) }]
  }
  if (style === 'payload') {
    return [{ ...whole, tlvs: [makeStandardTlv('messagePayload', encodeText(alphabet, text))] }]
  }

  const texts = cutForSms(alphabet, text, HEADER_LENGTH[style])
  const total = texts.length
  if (total > PARTS_MAX) throw new RangeError(`the text needs ${total} parts, at most ${PARTS_MAX}`)
  return texts.map((part, i) => {
    const facts = { reference, total, sequence: i + 1 }
    if (style === 'sar') {
      return { ...whole, shortMessage: encodeText(alphabet, part), tlvs: sarTlvs(facts) }
    }
    const header = style === 'udh8' ? header8(facts) : header16(facts)
    const bytes = Buffer.concat([header, encodeText(alphabet, part, header.length)])
    return { ...whole, esmClass: UDHI, shortMessage: bytes }
  })
}

function sarTlvs({ reference, total, sequence }: PartFacts): Tlv[] {
  return [
    makeStandardTlv('sarMsgRefNum', reference),
    makeStandardTlv('sarTotalSegments', total),
    makeStandardTlv('sarSegmentSeqnum', sequence),
  ]
}
