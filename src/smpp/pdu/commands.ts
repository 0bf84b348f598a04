// The SMPP 3.4 commands that this codec supports. submit_multi is not one of them, because carriers do not agree on
// how to bill it. A peer that sends it gets "invalid command".

import {
  ALERT,
  BIND,
  CANCEL,
  DATA,
  type Field,
  MESSAGE_ID,
  NONE,
  OUTBIND,
  QUERY,
  QUERY_RESPONSE,
  REPLACE,
  SHORT_MESSAGE,
  SYSTEM_ID,
} from './fields.js'

interface Command {
  id: number
  fields: readonly Field[]
}

export const COMMANDS = {
  generic_nack: { id: 0x80000000, fields: NONE },
  bind_receiver: { id: 0x00000001, fields: BIND },
  bind_receiver_resp: { id: 0x80000001, fields: SYSTEM_ID },
  bind_transmitter: { id: 0x00000002, fields: BIND },
  bind_transmitter_resp: { id: 0x80000002, fields: SYSTEM_ID },
  query_sm: { id: 0x00000003, fields: QUERY },
  query_sm_resp: { id: 0x80000003, fields: QUERY_RESPONSE },
  submit_sm: { id: 0x00000004, fields: SHORT_MESSAGE },
  submit_sm_resp: { id: 0x80000004, fields: MESSAGE_ID },
  deliver_sm: { id: 0x00000005, fields: SHORT_MESSAGE },
  deliver_sm_resp: { id: 0x80000005, fields: MESSAGE_ID },
  unbind: { id: 0x00000006, fields: NONE },
  unbind_resp: { id: 0x80000006, fields: NONE },
  replace_sm: { id: 0x00000007, fields: REPLACE },
  replace_sm_resp: { id: 0x80000007, fields: NONE },
  cancel_sm: { id: 0x00000008, fields: CANCEL },
  cancel_sm_resp: { id: 0x80000008, fields: NONE },
  bind_transceiver: { id: 0x00000009, fields: BIND },
  bind_transceiver_resp: { id: 0x80000009, fields: SYSTEM_ID },
  outbind: { id: 0x0000000b, fields: OUTBIND },
  enquire_link: { id: 0x00000015, fields: NONE },
  enquire_link_resp: { id: 0x80000015, fields: NONE },
  alert_notification: { id: 0x00000102, fields: ALERT },
  data_sm: { id: 0x00000103, fields: DATA },
  data_sm_resp: { id: 0x80000103, fields: MESSAGE_ID },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof COMMANDS
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]

/** Set in the ID of every response. */
const RESPONSE_BIT = 0x80000000

const BY_ID = new Map<number, CommandName>(COMMAND_NAMES.map((name) => [COMMANDS[name].id, name]))

export function commandOfId(id: number): CommandName | null {
  return BY_ID.get(id) ?? null
}

export function isResponseId(id: number): boolean {
  return id >= RESPONSE_BIT
}

/** The requests that have a response. outbind and alert_notification do not. */
export type AnsweredName = {
  [C in CommandName]: `${C}_resp` extends CommandName ? C : never
}[CommandName]

export type ResponseName = `${AnsweredName}_resp` | 'generic_nack'

/** Null for a response, and for requests without a response. */
export function responseOf(command: CommandName): `${AnsweredName}_resp` | null {
  return RESPONSES.get(command) ?? null
}

const RESPONSES = new Map(
  COMMAND_NAMES.map((name) => [name, `${name}_resp`] as const).filter(
    (pair): pair is readonly [AnsweredName, `${AnsweredName}_resp`] =>
      Object.hasOwn(COMMANDS, pair[1]),
  ),
) as ReadonlyMap<CommandName, `${AnsweredName}_resp`>
