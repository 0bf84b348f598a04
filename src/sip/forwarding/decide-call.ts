// Decides where a call goes, for both SIP and HTTP.

import {
  type FindTarget,
  FORWARDINGS_MAX,
  type ForwardingPolicy,
  forwardingFault,
} from './forwarding-policy.js'
import type { ReadNumber } from './number-forms.js'

/** Earlier forwardings of the call, from its headers. */
export interface PastForwardings {
  count: number
  /** E.164. */
  numbers: ReadonlySet<string>
}

export const NEVER_FORWARDED: PastForwardings = { count: 0, numbers: new Set() }

export type CallDecision =
  | { kind: 'redirect'; number: string; target: string }
  /** `number` is set if an account holds it. */
  | { kind: 'refuse'; status: 404 | 480 | 482 | 484; number: string | null; why: string }

export function decideCall(
  called: ReadNumber,
  past: PastForwardings,
  find: FindTarget,
  policy: ForwardingPolicy,
): CallDecision {
  if (called.kind === 'none') return refuse(484, null, 'not a number')
  if (called.kind === 'foreign') return refuse(404, null, 'not our number')
  const { number } = called
  const target = find(number)
  if (target === undefined) return refuse(404, null, 'not our number')
  if (target === null) return refuse(480, number, 'not forwarded')
  const fault = forwardingFault(number, target, find, policy)
  if (fault === 'itself' || fault === 'loop' || fault === 'chain') return refuse(482, number, fault)
  if (fault !== null) return refuse(480, number, fault)
  if (past.count >= FORWARDINGS_MAX) return refuse(482, number, 'chain')
  if (past.numbers.has(target)) return refuse(482, number, 'loop')
  return { kind: 'redirect', number, target }
}

function refuse(status: 404 | 480 | 482 | 484, number: string | null, why: string): CallDecision {
  return { kind: 'refuse', status, number, why }
}
