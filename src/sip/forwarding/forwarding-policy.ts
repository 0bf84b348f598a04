// Which number can be forwarded to which. The same rules apply when a target is set and at every call: a target that was
// allowed when it was set can be refused later.

import { areaCodeOf, canExist, isE164 } from '../../text/phone-number.js'

/** Undefined: not one of our numbers. Null: ours, without forwarding. */
export type FindTarget = (number: string) => string | null | undefined

export interface ForwardingPolicy {
  /** Caribbean countries share +1 but are billed at international rates: a common fraud target. */
  allowsCaribbean: boolean
}

export const DEFAULT_POLICY: ForwardingPolicy = { allowsCaribbean: false }

export type ForwardingFault =
  | 'outside'
  | 'impossible'
  | 'premium'
  | 'special'
  | 'caribbean'
  | 'itself'
  | 'loop'
  | 'chain'

/** The maximum number of forwardings of a call, by us and others. */
export const FORWARDINGS_MAX = 5

const PREMIUM_CODES: ReadonlySet<string> = new Set(['900', '976'])

// Non-geographic numbers: 500 and its relief codes (personal numbers, with a price the caller does not see), 700 (depends
// on the caller's carrier), and 710 (government).
const SPECIAL_CODES: ReadonlySet<string> = new Set([
  ...['500', '521', '522', '523', '524', '525', '526', '527', '528', '529', '532', '533', '535'],
  ...['538', '542', '543', '544', '545', '546', '547', '549', '550', '552', '553', '554', '556'],
  ...['566', '569', '577', '578', '588', '589', '700', '710'],
])
/** Directory assistance, in every area code: the caller pays for each call. */
const DIRECTORY_ASSISTANCE = '5551212'

// +1 area codes outside the United States, its territories, and Canada.
const CARIBBEAN_CODES: ReadonlySet<string> = new Set([
  ...['242', '246', '264', '268', '284', '345', '441', '473', '649', '658', '664'],
  ...['721', '758', '767', '784', '809', '829', '849', '868', '869', '876'],
])

/** Error texts; each one continues the name of the field. */
export const FAULT_TEXTS: Record<ForwardingFault, string> = {
  outside: 'must be a +1 number: calls are forwarded only within the United States and Canada',
  impossible: 'must be a valid number: its area code or exchange does not exist',
  premium: 'must not be a premium number: calls are not forwarded to 900 and 976',
  special:
    'must not be a 500, 700, or directory assistance (555-1212) number: these calls can cost extra',
  caribbean: 'must not be a Caribbean number: the operator of this service has not allowed them',
  itself: 'must be another number: a number cannot be forwarded to itself',
  loop: 'must not lead back to this number: that number is forwarded here',
  chain: `must not start a chain of more than ${FORWARDINGS_MAX} forwarded numbers`,
}

/** The reason why the number cannot be forwarded to the target, both in E.164; null if it can. */
export function forwardingFault(
  number: string,
  target: string,
  find: FindTarget,
  policy: ForwardingPolicy,
): ForwardingFault | null {
  return targetFault(target, policy) ?? chainFault(number, target, find)
}

/** Checks the target alone. */
function targetFault(
  target: string,
  { allowsCaribbean }: ForwardingPolicy,
): ForwardingFault | null {
  if (!isE164(target)) return 'outside'
  const areaCode = areaCodeOf(target)
  if (PREMIUM_CODES.has(areaCode) || target.slice(5, 8) === '976') return 'premium'
  if (SPECIAL_CODES.has(areaCode) || target.endsWith(DIRECTORY_ASSISTANCE)) return 'special'
  if (!canExist(target)) return 'impossible'
  return !allowsCaribbean && CARIBBEAN_CODES.has(areaCode) ? 'caribbean' : null
}

/** Follows the target through our numbers. */
function chainFault(number: string, target: string, find: FindTarget): ForwardingFault | null {
  if (target === number) return 'itself'
  let next: string | null | undefined = target
  for (let forwardings = 1; forwardings <= FORWARDINGS_MAX; forwardings++) {
    next = find(next)
    if (next === null || next === undefined) return null
    if (next === number) return 'loop'
  }
  return 'chain'
}
