// The sandbox phones: which carrier each has, and what the magic numbers do.

import type { Session } from '../api/session'

const CARRIERS = ['AT&T', 'T-Mobile', 'Verizon'] as const

export const FIRST_PHONE = '+14155550100'

/** By its last digit: 0 to 3, 4 to 6, 7 to 9. */
export function carrierOf(phone: string): string {
  const digit = Number(phone.at(-1))
  return CARRIERS[digit <= 3 ? 0 : digit <= 6 ? 1 : 2]
}

export function isLandline(phone: string): boolean {
  return phone.endsWith('0120')
}

export interface MagicNumber {
  ending: string
  what: string
}

export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  { ending: '0110', what: 'can’t receive texts: error 1350' },
  { ending: '0120', what: 'landline: error 1360' },
  { ending: '0130', what: 'daily cap reached: error 1320' },
  { ending: '0140', what: 'throttled twice, then delivered' },
  { ending: '0150', what: 'no delivery receipt' },
  { ending: '0160', what: 'always throttled, never accepted' },
  { ending: '0170', what: 'delivered and read' },
  { ending: '0180', what: 'filtered as spam: error 1370' },
]

export function magicPhone(ending: string): string {
  return `+1415555${ending}`
}

/** Whether messages are really sent: a sandbox can have a real carrier, too. */
export const CARRIER_WORDS: Record<Session['carrier'], string> = {
  simulated: 'simulated carrier, no real texts sent',
  real: 'real carrier: texts are sent',
  none: 'no carrier: sends are refused',
}

/** How long a review takes with a provider, with the simulated registry, or with people. */
export function reviewPace({ mode, asks }: Session): string {
  return mode === 'sandbox' && asks.brand.length === 0
    ? 'The simulated registry takes about 3 seconds.'
    : 'Review takes 2 to 5 business days on average. You can close this page.'
}
