// Amounts are bigint micros of a dollar everywhere inside. This file converts them to and from dollars and
// cents.

export const MICROS_PER_DOLLAR = 1_000_000n
export const MICROS_PER_CENT = 10_000n

/** Null if the text is not an amount or has more than six decimals. */
export function parseDollars(text: string): bigint | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (!match) return null
  const micros = BigInt(match[2]!) * MICROS_PER_DOLLAR + BigInt((match[3] ?? '').padEnd(6, '0'))
  return match[1] ? -micros : micros
}

/** Exact for every amount below nine billion dollars: micros fit a double's 53 bits. */
export function toDollars(micros: bigint): number {
  return Number(micros) / 1_000_000
}

export function toCents(micros: bigint): number {
  return Number(micros) / 10_000
}

/** For people: $12.34, with more decimals only if they are not zero. */
export function formatDollars(micros: bigint): string {
  const text = plainDollars(micros)
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`
}

/** For files: 12.34, exact. */
export function plainDollars(micros: bigint): string {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  const decimals = (size % MICROS_PER_DOLLAR)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${sign}${size / MICROS_PER_DOLLAR}.${decimals}`
}

/** Rounded up to whole cents: a prorated price never costs less than its share. */
export function ceilToCent(micros: bigint): bigint {
  return ((micros + MICROS_PER_CENT - 1n) / MICROS_PER_CENT) * MICROS_PER_CENT
}
