// The states that only operators see, made like all others; apart, so that no customer loads them.

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
  DELETED: state('wait', SquareCheckBig, 'Deleted', 'Its ledger and the audit log stay'),
}

export function accountState({ status }: { status: string }): State {
  return ACCOUNT[status] ?? unknown(status)
}

const PART: Record<string, State> = {
  ok: state('ok', Check, 'Up', 'Does its work'),
  slow: state('warn', Hourglass, 'Slow', 'Answers slowly'),
  read_only: state('bad', OctagonX, 'Read only', 'Takes no writes: calls that write get 503'),
  down: state('bad', OctagonX, 'Down', 'Messages are accepted and wait'),
  none: state('bad', TriangleAlert, 'None', 'No link is set up: sends are refused'),
  simulated: state(
    'plan',
    CircleDashed,
    'Simulated',
    'Deliveries are reported that never happened',
  ),
}

const CALLS: Record<string, State> = {
  listening: state('ok', Check, 'Answered', 'A SIP port is open'),
  silent: state('wait', CirclePause, 'Off', 'No SIP port is open'),
  elsewhere: state('wait', CircleDashed, 'Elsewhere', 'Other processes may answer them'),
}

/** How the process that was asked takes calls. */
export function callsState(value: string): State {
  return CALLS[value] ?? unknown(value)
}

const LINK: Record<string, State> = {
  up: state('ok', Check, 'Up', 'Messages go out by it'),
  partly: state('warn', TriangleAlert, 'Partly up', 'Up for some processes, down for others'),
  down: state('bad', OctagonX, 'Down', 'Nothing goes out by it'),
  paused: state('warn', CirclePause, 'Paused', 'Accepts no new messages'),
}

const SETUP: Record<string, State> = {
  done: state('ok', Check, 'Done', 'Done just now'),
  same: state('ok', Check, 'As it was', 'It was so before'),
  planned: state('plan', CircleDashed, 'Planned', 'Would be done'),
  skipped: state('wait', CirclePause, 'Not done', 'Nothing is wrong'),
  failed: state('bad', OctagonX, 'Failed', 'What follows it was not done'),
}

/** A step of setting up a carrier. */
export function setupState(value: string): State {
  return SETUP[value] ?? unknown(value)
}

/** A link to a carrier. */
export function linkState(link: { state: string; kind: string }): State {
  if (link.kind === 'simulator' && link.state === 'up') return PART.simulated!
  return LINK[link.state] ?? unknown(link.state)
}

/** A part of the service: the database, the link to the carrier. */
export function partState(value: string): State {
  return PART[value] ?? unknown(value)
}
