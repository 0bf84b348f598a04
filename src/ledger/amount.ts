// Amounts that people give: dollars with at most six decimals, within reason.

import { fieldRefusal } from '../kit/contract/refusal.js'
import { formatDollars, MICROS_PER_DOLLAR, parseDollars } from '../kit/money.js'

/** A slip of the keyboard is more likely than a larger payment; two smaller ones do it. */
export const AMOUNT_MICROS_MAX = 1_000_000n * MICROS_PER_DOLLAR

const EXPECTS = `must be an amount in dollars above 0, at most ${formatDollars(AMOUNT_MICROS_MAX)}, with at most six decimals`

/** A number as JSON has it, or its text. Refuses what is no amount, zero, negative or too large. */
export function readAmount(field: string, dollars: number | string): bigint {
  // A double's shortest text is what the caller wrote; 1e-7 and the like are no amount.
  const micros = parseDollars(String(dollars))
  if (micros === null) throw fieldRefusal(field, EXPECTS)
  checkAmount(field, micros)
  return micros
}

export function checkAmount(field: string, micros: bigint): void {
  if (micros <= 0n || micros > AMOUNT_MICROS_MAX) throw fieldRefusal(field, EXPECTS)
}
