// Reproducible random choices: the same seed gives the same throttling, losses, and order.

export type Random = () => number

/** From 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** True with this probability in percent. */
export function happens(random: Random, percent: number): boolean {
  return percent > 0 && random() * 100 < percent
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items]
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const item = order[i]!
    order[i] = order[j]!
    order[j] = item
  }
  return order
}
