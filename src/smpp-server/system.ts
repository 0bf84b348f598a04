// A system ID that is bound here, and one of its binds: what the rest of this module knows about a customer.

import type { AccountId } from '../accounts/account.js'
import type { SmppLimits } from '../accounts/smpp-limits.js'
import type { SmppSystem } from '../accounts/smpp-system.js'
import type { Scope } from '../kit/contract/operation.js'
import type { BindName } from '../smpp/session/session-event.js'
import type { SmppSocket } from '../smpp/sockets/smpp-socket.js'
import type { Outgoing } from './outgoing.js'

export interface System extends SmppSystem {
  accountId: AccountId
  tokenId: string
  scopes: readonly Scope[]
  /** The account's limits, set by the operator. They may change while it is bound. */
  limits: SmppLimits
}

export interface Bind {
  id: string
  system: System
  as: BindName
  socket: SmppSocket<Outgoing>
}

export function receives({ as }: Pick<Bind, 'as'>): boolean {
  return as !== 'bind_transmitter'
}
