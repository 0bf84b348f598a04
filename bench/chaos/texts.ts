// The texts that clients send: short and long ones, at the border of a segment, with characters that count twice, with
// characters outside of GSM-7, and with symbols that the service replaces.

import type { Random } from '../../src/smsc/random.js'

const FILLER = ' and so on'

const plain = (start: string, length: number) => start.padEnd(length, FILLER)

/** Each kind with its weight. */
const KINDS: readonly [weight: number, write: (start: string) => string][] = [
  [70, (start) => plain(start, 24)],
  [6, (start) => plain(start, 220)],
  [3, (start) => plain(start, 160)],
  [3, (start) => plain(start, 161)],
  [3, (start) => plain(start, 310)], // two segments in three parts
  // 155 septets and five characters of two: over one segment only if those count twice.
  [4, (start) => `${plain(start, 152)} {€}[]`],
  [4, (start) => `${plain(start, 60)} привет`], // Cyrillic, one segment
  [4, (start) => `${plain(start, 90)} 你好`], // Chinese, two segments
  [2, (start) => `${plain(start, 138)} 🎉`], // a pair of units at the border of the second segment
  [4, (start) => `${plain(start, 40)} “it’s” – done…`],
]
const WEIGHTS = KINDS.reduce((sum, [weight]) => sum + weight, 0)

export function writeText(start: string, random: Random): string {
  let left = random() * WEIGHTS
  for (const [weight, write] of KINDS) {
    left -= weight
    if (left < 0) return write(start)
  }
  return plain(start, 24)
}
