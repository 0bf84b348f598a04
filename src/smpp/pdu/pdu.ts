// A PDU in memory. Its type is derived from the tables: `PduOf<'submit_sm'>` has exactly the fields that
// commands.ts lists for it.

import {
  COMMAND_NAMES,
  COMMANDS,
  type CommandName,
  isResponseId,
  type ResponseName,
} from './commands.js'
import type { BodyOfFields, Field } from './fields.js'
import { STATUS } from './status.js'
import type { Tlv } from './tlv.js'

export const HEADER_LENGTH = 16

export type BodyOf<C extends CommandName> = BodyOfFields<(typeof COMMANDS)[C]['fields']>

interface PduShape<C extends CommandName> {
  command: C
  status: number
  sequence: number
  /** Null: a response without a body, as SMPP 3.4 requires for an error status. */
  body: C extends ResponseName ? BodyOf<C> | null : BodyOf<C>
  tlvs: readonly Tlv[]
}

/** For several commands, a union of their PDUs. */
export type PduOf<C extends CommandName> = C extends CommandName ? PduShape<C> : never
export type Pdu = PduOf<CommandName>
/** The two commands that submit a message. */
export type SubmitPdu = PduOf<'submit_sm' | 'data_sm'>
export type RequestPdu = Exclude<Pdu, { command: ResponseName }>
export type ResponsePdu = Extract<Pdu, { command: ResponseName }>

export function isResponse(pdu: Pdu): pdu is ResponsePdu {
  return isResponseId(COMMANDS[pdu.command].id)
}

export const NO_TLVS: readonly Tlv[] = Object.freeze([])
const NO_BYTES = Buffer.alloc(0)

const EMPTY_VALUE = { byte: 0, cstring: '', bytes: NO_BYTES }

const EMPTY_BODIES = Object.fromEntries(
  COMMAND_NAMES.map((name) => [
    name,
    Object.fromEntries(
      (COMMANDS[name].fields as readonly Field[]).map((field) => [
        field.name,
        EMPTY_VALUE[field.kind],
      ]),
    ),
  ]),
) as { [C in CommandName]: BodyOf<C> }

/** A PDU with the given fields. Others are zero or empty, which is the default in the specification. */
export function makePdu<C extends CommandName>(
  command: C,
  sequence: number,
  fields: Partial<BodyOf<C>>,
  tlvs: readonly Tlv[] = NO_TLVS,
): PduOf<C> {
  const body = { ...EMPTY_BODIES[command], ...fields }
  return { command, status: STATUS.ESME_ROK.code, sequence, body, tlvs } as PduOf<C>
}

/** An error response. It has no body unless TLVs follow, because a reader would take them for the body. */
export function makeFailure<C extends ResponseName>(
  command: C,
  sequence: number,
  status: number,
  tlvs: readonly Tlv[] = NO_TLVS,
): PduOf<C> {
  const body = tlvs.length > 0 ? EMPTY_BODIES[command] : null
  return { command, status, sequence, body, tlvs } as PduOf<C>
}
