// Encodes a PDU: measures it first, then writes it into one buffer. A value that does not fit is a bug in our code
// and throws a RangeError that names the field.

import { COMMANDS } from './commands.js'
import { type Field, SHORT_MESSAGE } from './fields.js'
import { type BodyOf, HEADER_LENGTH, type Pdu } from './pdu.js'
import { shortMessageLength, writeShortMessage } from './short-message.js'
import { TLV_HEADER_LENGTH, type Tlv } from './tlv.js'
import { bytesLength, cstringLength, writeByte, writeBytes, writeCstring } from './writing.js'

const TLV_LENGTH_MAX = 0xffff

type Values = Record<string, number | string | Buffer>

export function encodePdu(pdu: Pdu): Buffer {
  const { command, status, sequence, body, tlvs } = pdu
  const { id, fields } = COMMANDS[command]
  const length = HEADER_LENGTH + (body ? bodyLength(fields, body) : 0) + tlvsLength(tlvs)
  const frame = Buffer.allocUnsafe(length)
  frame.writeUInt32BE(length, 0)
  frame.writeUInt32BE(id, 4)
  frame.writeUInt32BE(status, 8)
  frame.writeUInt32BE(sequence, 12)
  const end = body ? writeBody(frame, fields, body) : HEADER_LENGTH
  if (tlvs.length > 0) writeTlvs(frame, end, tlvs)
  return frame
}

function bodyLength(fields: readonly Field[], body: object): number {
  if (fields === SHORT_MESSAGE) return shortMessageLength(body as BodyOf<'submit_sm'>)
  let length = 0
  for (const field of fields) {
    const value = (body as Values)[field.name]
    if (field.kind === 'byte') length += 1
    else if (field.kind === 'cstring') length += cstringLength(field, value as string)
    else length += bytesLength(field, value as Buffer)
  }
  return length
}

function tlvsLength(tlvs: readonly Tlv[]): number {
  let length = 0
  for (const { tag, value } of tlvs) {
    if (value.length > TLV_LENGTH_MAX) throw new RangeError(`TLV ${tag} is longer than 65535 bytes`)
    length += TLV_HEADER_LENGTH + value.length
  }
  return length
}

function writeBody(frame: Buffer, fields: readonly Field[], body: object): number {
  if (fields === SHORT_MESSAGE) {
    return writeShortMessage(frame, HEADER_LENGTH, body as BodyOf<'submit_sm'>)
  }
  let at = HEADER_LENGTH
  for (const field of fields) {
    const value = (body as Values)[field.name]
    if (field.kind === 'byte') at = writeByte(frame, at, field, value as number)
    else if (field.kind === 'cstring') at = writeCstring(frame, at, field, value as string)
    else at = writeBytes(frame, at, value as Buffer)
  }
  return at
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
