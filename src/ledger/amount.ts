// Amounts that people enter: dollars with at most six decimals, up to a sensible maximum.

import { fieldRefusal } from '../kit/contract/refusal.js'
import { MICROS_PER_DOLLAR, parseDollars } from '../kit/money.js'

/** Above this, a typo is more likely than a payment. Two smaller payments work too. */
export const AMOUNT_MICROS_MAX = 1_000_000n * MICROS_PER_DOLLAR

const EXPECTS = 'must be more than $0 and at most $1,000,000, with at most six decimals'

/** A JSON number or its text. Refuses anything that is not an amount, zero, negative, or too large. */
export function readAmount(field: string, dollars: number | string): bigint {
  // The shortest text of a double is what the client wrote. 1e-7 and the like are not amounts.
  const micros = parseDollars(String(dollars))
  if (micros === null) throw fieldRefusal(field, EXPECTS)
  checkAmount(field, micros)
  return micros
}

export function checkAmount(field: string, micros: bigint): void {
  if (micros <= 0n || micros > AMOUNT_MICROS_MAX) throw fieldRefusal(field, EXPECTS)
}
