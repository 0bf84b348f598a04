// Decodes bytes into a PDU, or into a problem with the response to send. No input makes it throw, and it trusts no
// length field. Buffers in the result are views into the frame: a caller that stores them must copy them.

import { COMMANDS, type CommandName, commandOfId, isResponseId } from './commands.js'
import { type Field, SHORT_MESSAGE } from './fields.js'
import { HEADER_LENGTH, NO_TLVS, type Pdu } from './pdu.js'
import { type Reading, readByte, readBytes, readCstring, stop } from './reading.js'
import { readShortMessage } from './short-message.js'
import { STATUS } from './status.js'
import { TLV_HEADER_LENGTH, type Tlv } from './tlv.js'

export interface PduProblem {
  /** The response to send, unless the PDU was a response itself. */
  status: number
  /** One sentence, for the log. */
  detail: string
  /** Null: an unknown command. Such a request is answered with generic_nack. */
  command: CommandName | null
  isResponse: boolean
  /** The status and number from the frame. 0 if it is too short to contain them. */
  receivedStatus: number
  sequence: number
}

export type Decoded = { pdu: Pdu; problem: null } | { pdu: null; problem: PduProblem }

const { ESME_RINVCMDLEN, ESME_RINVCMDID, ESME_RINVOPTPARSTREAM } = STATUS

export function decodePdu(frame: Buffer): Decoded {
  if (frame.length < HEADER_LENGTH || frame.readUInt32BE(0) !== frame.length) {
    return { pdu: null, problem: brokenHeader(frame) }
  }
  const id = frame.readUInt32BE(4)
  const status = frame.readUInt32BE(8)
  const sequence = frame.readUInt32BE(12)
  const command = commandOfId(id)
  const isResponse = isResponseId(id)
  if (command === null) {
    const detail = `There is no command 0x${id.toString(16).padStart(8, '0')}`
    const fault = { status: ESME_RINVCMDID.code, detail }
    return {
      pdu: null,
      problem: { ...fault, command, isResponse, receivedStatus: status, sequence },
    }
  }

  // SMPP 3.4 omits the body of an error response, and some peers omit it from any response.
  const { fields } = COMMANDS[command]
  if (isResponse && frame.length === HEADER_LENGTH && fields.length > 0) {
    return { pdu: pduWith(command, status, sequence, null, NO_TLVS), problem: null }
  }
  const reading: Reading = { frame, at: HEADER_LENGTH, fault: null }
  const body = readBody(reading, fields)
  const tlvs = reading.fault ? NO_TLVS : readTlvs(reading)
  if (reading.fault === null) {
    return { pdu: pduWith(command, status, sequence, body, tlvs), problem: null }
  }
  // The rest of an error response is ignored, so that a fault in it cannot hide the error.
  if (isResponse && status !== STATUS.ESME_ROK.code) {
    return { pdu: pduWith(command, status, sequence, null, NO_TLVS), problem: null }
  }
  return {
    pdu: null,
    problem: { ...reading.fault, command, isResponse, receivedStatus: status, sequence },
  }
}

function pduWith(
  command: CommandName,
  status: number,
  sequence: number,
  body: unknown,
  tlvs: readonly Tlv[],
): Pdu {
  return { command, status, sequence, body, tlvs } as Pdu
}

function brokenHeader(frame: Buffer): PduProblem {
  const isWhole = frame.length >= HEADER_LENGTH
  const id = isWhole ? frame.readUInt32BE(4) : 0
  const claimedLength = frame.length >= 4 ? frame.readUInt32BE(0) : 0
  return {
    status: ESME_RINVCMDLEN.code,
    detail: `The command length is ${claimedLength}, the frame has ${frame.length} bytes`,
    command: commandOfId(id),
    isResponse: isResponseId(id),
    receivedStatus: isWhole ? frame.readUInt32BE(8) : 0,
    sequence: isWhole ? frame.readUInt32BE(12) : 0,
  }
}

function readBody(reading: Reading, fields: readonly Field[]): object {
  if (fields === SHORT_MESSAGE) return readShortMessage(reading)
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.kind === 'cstring') body[field.name] = readCstring(reading, field)
    else if (field.kind === 'bytes') body[field.name] = readBytes(reading, field)
    else body[field.name] = readByte(reading, field)
    if (reading.fault !== null) return body
  }
  return body
}

function readTlvs(reading: Reading): readonly Tlv[] {
  const { frame } = reading
  let { at } = reading
  if (at === frame.length) return NO_TLVS

  const tlvs: Tlv[] = []
  while (at < frame.length) {
    const start = at + TLV_HEADER_LENGTH
    const end = start <= frame.length ? start + frame.readUInt16BE(at + 2) : start
    if (end > frame.length) {
      const detail = 'The PDU ends within an optional parameter'
      stop(reading, ESME_RINVOPTPARSTREAM.code, detail)
      return NO_TLVS
    }
    tlvs.push({ tag: frame.readUInt16BE(at), value: frame.subarray(start, end) })
    at = end
  }
  return tlvs
}
