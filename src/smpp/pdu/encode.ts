// From a PDU to its octets: measured first, then written into one buffer. A value that does not fit is a
// fault of ours, hence a RangeError that names the field.

import { COMMANDS } from './commands.js'
import type { Field } from './fields.js'
import { HEADER_LENGTH, type Pdu } from './pdu.js'
import type { Tlv } from './tlv.js'

const TLV_HEADER_LENGTH = 4
const TLV_LENGTH_MAX = 0xffff

type Values = Record<string, number | string | Buffer>

export function encodePdu(pdu: Pdu): Buffer {
  const { id, fields } = COMMANDS[pdu.command]
  const body = pdu.body as Values | null
  const length = HEADER_LENGTH + (body ? bodyLength(fields, body) : 0) + tlvsLength(pdu.tlvs)
  const frame = Buffer.allocUnsafe(length)
  frame.writeUInt32BE(length, 0)
  frame.writeUInt32BE(id, 4)
  frame.writeUInt32BE(pdu.status, 8)
  frame.writeUInt32BE(pdu.sequence, 12)
  writeTlvs(frame, body ? writeBody(frame, fields, body) : HEADER_LENGTH, pdu.tlvs)
  return frame
}

function bodyLength(fields: readonly Field[], body: Values): number {
  let length = 0
  for (const { name, kind, max } of fields) {
    if (kind === 'byte') {
      length += 1
      continue
    }
    const value = body[name] as string | Buffer
    // The octet that counts, or the NUL at the end.
    const octets = value.length + 1
    if (octets > (kind === 'octets' ? max + 1 : max)) {
      throw new RangeError(`${name} is longer than ${max} octets`)
    }
    length += octets
  }
  return length
}

function tlvsLength(tlvs: readonly Tlv[]): number {
  let length = 0
  for (const { tag, value } of tlvs) {
    if (value.length > TLV_LENGTH_MAX)
      throw new RangeError(`TLV ${tag} is longer than 65535 octets`)
    length += TLV_HEADER_LENGTH + value.length
  }
  return length
}

function writeBody(frame: Buffer, fields: readonly Field[], body: Values): number {
  let at = HEADER_LENGTH
  for (const { name, kind } of fields) {
    const value = body[name]
    if (kind === 'byte') {
      frame[at++] = octetOf(name, value as number)
    } else if (kind === 'cstring') {
      at = writeCstring(frame, at, name, value as string)
    } else {
      const octets = value as Buffer
      frame[at] = octets.length
      frame.set(octets, at + 1)
      at += 1 + octets.length
    }
  }
  return at
}

function octetOf(name: string, value: number): number {
  if (value >= 0 && value <= 0xff) return value
  throw new RangeError(`${name} is no octet: ${value}`)
}

/** By hand: for texts this short it beats the call into the runtime, and it sees every character. */
function writeCstring(frame: Buffer, start: number, name: string, text: string): number {
  let at = start
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0 || unit > 0xff)
      throw new RangeError(`${name} has a character that cannot be sent`)
    frame[at++] = unit
  }
  frame[at] = 0
  return at + 1
}

function writeTlvs(frame: Buffer, start: number, tlvs: readonly Tlv[]): void {
  let at = start
  for (const { tag, value } of tlvs) {
    frame.writeUInt16BE(tag, at)
    frame.writeUInt16BE(value.length, at + 2)
    frame.set(value, at + TLV_HEADER_LENGTH)
    at += TLV_HEADER_LENGTH + value.length
  }
}
