// A message from a phone: typed by a person or requested by a test, and split into parts as a phone would.

import { addressFields } from '../smpp/address.js'
import type { BodyOf } from '../smpp/pdu/pdu.js'
import type { Tlv } from '../smpp/pdu/tlv.js'
import { type Coding, chooseCoding } from '../smpp/text/data-coding.js'
import { type LongStyle, splitMessage } from '../smpp/text/split-message.js'

export interface InboundText {
  from: string
  to: string
  text: string
  /** How a long text is split. Phones use 8-bit headers. */
  style?: LongStyle
  /** Sent with every part. */
  tlvs?: readonly Tlv[]
  /** The order of the parts, by number from 1. A repeated number sends the part twice. Default: in order. */
  order?: readonly number[]
  /** The client with this system id. Default: the one that bound last. */
  systemId?: string
}

interface InboundPdu {
  fields: Partial<BodyOf<'deliver_sm'>>
  tlvs: readonly Tlv[]
}

const UCS2: Coding = { alphabet: 'ucs2', dataCoding: 8 }

export function inboundPdus(
  message: InboundText,
  codings: readonly Coding[],
  reference: number,
): InboundPdu[] {
  const { text, style = 'udh8', tlvs = [] } = message
  const addresses = addressFields(message.from, message.to)
  const parts = splitMessage(text, chooseCoding(text, codings) ?? UCS2, style, reference)
  const order = message.order ?? parts.map((_, i) => i + 1)
  return order.map((number) => {
    const part = parts[number - 1]
    if (!part) throw new RangeError(`the message has ${parts.length} parts and no part ${number}`)
    return {
      fields: {
        ...addresses,
        esmClass: part.esmClass,
        dataCoding: part.dataCoding,
        shortMessage: part.shortMessage,
      },
      tlvs: [...part.tlvs, ...tlvs],
    }
  })
}

const LINE = /^(\S+)\s+(\S+)\s+(.+)$/su
const NUMBER = /^\+?\d{3,15}$/
const TEXT_MAX = 1_600

/** `from to text`, or a sentence that explains what is wrong with the line. */
export function readTypedLine(line: string): { message: InboundText } | { problem: string } {
  const match = LINE.exec(line.trim())
  if (!match) return { problem: 'Type: FROM TO TEXT, such as +14155550199 +14155550100 Hello.' }
  const [, from, to, text] = match as unknown as [string, string, string, string]
  const wrong = [from, to].find((number) => !NUMBER.test(number))
  if (wrong !== undefined)
    return { problem: `"${wrong}" is not a number. Use digits, with or without a +.` }
  if (text.length > TEXT_MAX) return { problem: `The text is longer than ${TEXT_MAX} characters.` }
  return { message: { from, to, text } }
}
