// What a peer may request at this moment. The specification defines who may send what over which bind. A request at
// the wrong time is refused with a status that allows a retry.

import type { CommandName } from '../pdu/commands.js'
import { STATUS } from '../pdu/status.js'
import type { BindName, SessionState, Side } from './session-event.js'

const { ESME_RALYBND, ESME_RINVBNDSTS, ESME_RINVCMDID, ESME_RTHROTTLED, ESME_RX_T_APPN } = STATUS

const BINDS: readonly CommandName[] = ['bind_transceiver', 'bind_transmitter', 'bind_receiver']

const SENDERS: Partial<Record<CommandName, readonly Side[]>> = {
  bind_transceiver: ['esme'],
  bind_transmitter: ['esme'],
  bind_receiver: ['esme'],
  outbind: ['smsc'],
  unbind: ['esme', 'smsc'],
  enquire_link: ['esme', 'smsc'],
  submit_sm: ['esme'],
  query_sm: ['esme'],
  cancel_sm: ['esme'],
  replace_sm: ['esme'],
  data_sm: ['esme', 'smsc'],
  deliver_sm: ['smsc'],
  alert_notification: ['smsc'],
}

/** Valid for a request in any state. */
export function maySend(side: Side, command: CommandName): boolean {
  return SENDERS[command]?.includes(side) ?? false
}

/** A transmitter's messages go from the ESME to the SMSC, a receiver's the other way. */
export function carriesFrom(side: Side, bind: BindName): boolean {
  return bind !== (side === 'esme' ? 'bind_receiver' : 'bind_transmitter')
}

interface RequestContext {
  /** Our role. The request comes from the other side. */
  side: Side
  state: SessionState
  bind: BindName | null
  /** Whether the maximum number of peer requests wait for our response. */
  isFull: boolean
  /** Whether the peer has answered our unbind: the bind is over. */
  isOver: boolean
}

/** The status to refuse with. Null: accept. */
export function refusalOf(command: CommandName, moment: RequestContext): number | null {
  const { side, state, bind, isFull, isOver } = moment
  const peer: Side = side === 'esme' ? 'smsc' : 'esme'
  if (!maySend(peer, command)) return ESME_RINVCMDID.code
  if (command === 'enquire_link' || command === 'unbind') return null
  if (BINDS.includes(command)) return state === 'open' ? null : ESME_RALYBND.code
  if (command === 'outbind') return state === 'open' ? null : ESME_RINVBNDSTS.code

  const isBound = state === 'bound' || state === 'unbinding'
  if (!isBound || isOver || !carriesFrom(peer, bind!)) return ESME_RINVBNDSTS.code
  // A carrier's receipts are accepted until it has answered our unbind. A customer that is being unbound submits nothing new.
  if ((state === 'bound' || side === 'esme') && !isFull) return null
  return side === 'smsc' ? ESME_RTHROTTLED.code : ESME_RX_T_APPN.code
}
