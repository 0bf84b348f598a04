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

/** A part of the service: the database, the link to the carrier. */
export function partState(value: string): State {
  return PART[value] ?? unknown(value)
}
