// Statuses that only operators see, in a separate file, so customers do not load them.

import {
  Check,
  CircleDashed,
  CirclePause,
  Hourglass,
  OctagonX,
  SquareCheckBig,
  TriangleAlert,
} from 'lucide-react'
import { type State, state, unknown } from './states'

const ACCOUNT: Record<string, State> = {
  ACTIVE: state('ok', Check, 'Active', 'Its tokens work'),
  SUSPENDED: state('bad', CirclePause, 'Suspended', 'Its tokens are refused'),
  DELETED: state('wait', SquareCheckBig, 'Deleted', 'The ledger and audit log are kept'),
}

export function accountState({ status }: { status: string }): State {
  return ACCOUNT[status] ?? unknown(status)
}

const PART: Record<string, State> = {
  ok: state('ok', Check, 'Up', 'Works normally'),
  slow: state('warn', Hourglass, 'Slow', 'Responds slowly'),
  read_only: state('bad', OctagonX, 'Read only', 'Accepts no writes. Requests that write get 503.'),
  down: state('bad', OctagonX, 'Down', 'Messages are accepted and wait'),
  none: state('bad', TriangleAlert, 'None', 'No carrier link. Sends are refused.'),
  simulated: state('plan', CircleDashed, 'Simulated', 'No real messages are sent'),
}

const CALLS: Record<string, State> = {
  listening: state('ok', Check, 'Listening', 'A SIP port is open'),
  silent: state('wait', CirclePause, 'Off', 'No SIP port is open'),
  elsewhere: state('wait', CircleDashed, 'Elsewhere', 'Other processes may handle calls'),
}

/** How the process that answered handles phone calls. */
export function callsState(value: string): State {
  return CALLS[value] ?? unknown(value)
}

const LINK: Record<string, State> = {
  up: state('ok', Check, 'Up', 'Sends messages'),
  partly: state('warn', TriangleAlert, 'Partly up', 'Up for some processes, down for others'),
  down: state('bad', OctagonX, 'Down', 'Sends nothing'),
  paused: state('warn', CirclePause, 'Paused', 'Accepts no new messages'),
}

const SETUP: Record<string, State> = {
  done: state('ok', Check, 'Done', 'Done in this setup'),
  same: state('ok', Check, 'Unchanged', 'Already done'),
  planned: state('plan', CircleDashed, 'Planned', 'Would be done'),
  skipped: state('wait', CirclePause, 'Skipped', 'Not needed'),
  failed: state('bad', OctagonX, 'Failed', 'Later steps were not run'),
}

/** A step of a carrier setup. */
export function setupState(value: string): State {
  return SETUP[value] ?? unknown(value)
}

/** A carrier link. */
export function linkState(link: { state: string; kind: string }): State {
  if (link.kind === 'simulator' && link.state === 'up') return PART.simulated!
  return LINK[link.state] ?? unknown(link.state)
}

/** A component of the service: the database, the carrier link. */
export function partState(value: string): State {
  return PART[value] ?? unknown(value)
}
