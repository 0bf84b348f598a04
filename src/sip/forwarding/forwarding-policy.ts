// Which number may be forwarded to which. One judgement for whoever sets it and for every call: what was
// allowed when it was set may be refused by now.

import { areaCodeOf, canExist, isE164 } from '../../text/phone-number.js'

/** Undefined: not one of our numbers. Null: ours, without forwarding. */
export type FindTarget = (number: string) => string | null | undefined

export interface ForwardingPolicy {
  /** Countries of the Caribbean share +1 and cost like any other country: a prey of toll fraud. */
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

/** So many times a call may be forwarded, by us and by others. */
export const FORWARDINGS_MAX = 5

const PREMIUM_CODES: ReadonlySet<string> = new Set(['900', '976'])

// Numbers that belong to no place: 500 and the codes that relieve it (personal numbers, whose price the caller does not
// see), 700 (what it means depends on the caller's carrier) and 710 (government).
const SPECIAL_CODES: ReadonlySet<string> = new Set([
  ...['500', '521', '522', '523', '524', '525', '526', '527', '528', '529', '532', '533', '535'],
  ...['538', '542', '543', '544', '545', '546', '547', '549', '550', '552', '553', '554', '556'],
  ...['566', '569', '577', '578', '588', '589', '700', '710'],
])
/** Directory assistance, in every area code: the caller pays for each call. */
const DIRECTORY_ASSISTANCE = '5551212'

// Area codes of +1 that belong to neither the United States, their territories nor Canada.
const CARIBBEAN_CODES: ReadonlySet<string> = new Set([
  ...['242', '246', '264', '268', '284', '345', '441', '473', '649', '658', '664'],
  ...['721', '758', '767', '784', '809', '829', '849', '868', '869', '876'],
])

/** What each is called where somebody sets it; continues the name of the field. */
export const FAULT_TEXTS: Record<ForwardingFault, string> = {
  outside: 'must be a +1 number: calls are forwarded inside the United States and Canada only',
  impossible: 'must be a number that can exist: its area code or exchange cannot be dialled',
  premium: 'must not be a premium number: calls are not forwarded to 900 and 976',
  special:
    'must not be a 500, 700 or directory assistance (555-1212) number: calls to these can cost extra',
  caribbean: 'must not be a Caribbean number: whoever runs this service has not allowed them',
  itself: 'must be another number: calls cannot be forwarded to the number they came to',
  loop: 'must not lead back to this number: it is forwarded here itself',
  chain: `must not begin a chain of more than ${FORWARDINGS_MAX} forwarded numbers`,
}

/** What stands against forwarding the number to the target, both E.164; null for nothing. */
export function forwardingFault(
  number: string,
  target: string,
  find: FindTarget,
  policy: ForwardingPolicy,
): ForwardingFault | null {
  return targetFault(target, policy) ?? chainFault(number, target, find)
}

/** What can be said of a target alone. */
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

/** Follows the target through our own numbers. */
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
