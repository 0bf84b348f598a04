// The record of one call: the called number, the trunk, and the outcome.

import type { AccountId } from '../../accounts/account.js'
import type { SipAnswer } from '../../sip/answer/answer-message.js'
import { valuesOf } from '../../sip/message/headers.js'
import { readNameAddress } from '../../sip/message/name-address.js'
import type { SipRequest } from '../../sip/message/parse-message.js'
import { readUri } from '../../sip/message/uri.js'

export const CALL_OUTCOMES = [
  'forwarded',
  /** Forwarded before the service knew that the balance does not cover the call: not charged. */
  'forwarded_unpaid',
  'not_forwarded',
  /** The account is suspended. */
  'stopped',
  'loop',
  'not_allowed',
] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

export interface CallRecord {
  id: string
  accountId: AccountId
  /** E.164 */
  phoneNumber: string
  trunk: string
  callId: string
  outcome: CallOutcome
  /** Null: not stored, erased, or the caller withheld it. */
  caller: string | null
  priceMicros: bigint
}

const CALL_ID_MAX = 255
const LOOPS: ReadonlySet<string | null> = new Set(['loop', 'chain', 'itself'])

/** For a call to one of our numbers that no limit refused. */
export function outcomeOf(
  { status, why }: Pick<SipAnswer, 'status' | 'why'>,
  isStopped: boolean,
): CallOutcome {
  if (status === 302) return 'forwarded'
  if (isStopped) return 'stopped'
  if (LOOPS.has(why)) return 'loop'
  return why === 'not forwarded' ? 'not_forwarded' : 'not_allowed'
}

/** Made storable: header values can contain any bytes. */
export function callIdOf({ callId }: Pick<SipRequest, 'callId'>): string {
  return callId.slice(0, CALL_ID_MAX).replaceAll(/[^\x20-\x7e]/g, '?')
}

/** The caller's number, if the call has one: the one asserted by its network, else the one in From. */
export function callerOf({ headers, from }: Pick<SipRequest, 'headers' | 'from'>): string | null {
  const asserted = valuesOf(headers, 'p-asserted-identity')?.[0]
  const address = readNameAddress(asserted ?? from)
  const user = address && readUri(address.uri)?.user
  return user && /^\+?\d{3,15}$/.test(user) ? user : null
}
