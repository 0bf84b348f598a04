// The phones of the sandbox: which carrier each has, and what the special ones do.

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
  { ending: '0110', what: 'can’t receive texts: 1350' },
  { ending: '0120', what: 'landline: 1360' },
  { ending: '0130', what: 'at the daily cap: 1320' },
  { ending: '0140', what: 'told to slow down twice' },
  { ending: '0150', what: 'no receipt ever' },
  { ending: '0160', what: 'never reached: expires' },
  { ending: '0170', what: 'is read' },
  { ending: '0180', what: 'filtered as spam: 1370' },
]

export function magicPhone(ending: string): string {
  return `+1415555${ending}`
}

/** What becomes of texts: a sandbox may have a real carrier, too. */
export const CARRIER_WORDS: Record<Session['carrier'], string> = {
  simulated: 'simulated carrier, no real texts',
  real: 'real carrier: texts go out',
  none: 'no carrier: sends are refused',
}

/** How long a review takes: by a provider, by the simulated registry, or by people. */
export function reviewPace({ mode, asks }: Session): string {
  return mode === 'sandbox' && asks.brand.length === 0
    ? 'The simulated registry takes about 3 s.'
    : 'It takes 2 to 5 business days on average; you can close this page.'
}
