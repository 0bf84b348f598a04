// Caches expensive measurements, so concurrent readers share one.

import { elapsedMs } from '../../kit/clock.js'
import { within } from '../../kit/within.js'

const ANSWER_MS_MAX = 3_000

/**
 * Runs the measurement once for all concurrent readers and caches the result. Returns null if it takes too
 * long, so monitoring still gets everything else.
 */
export function keepFor<T>(keptMs: number, ask: () => Promise<T | null>): () => Promise<T | null> {
  let kept: { answer: T | null; untilMs: number } | null = null
  let asking: Promise<T | null> | null = null
  return async () => {
    if (kept && kept.untilMs > elapsedMs()) return kept.answer
    asking ??= ask()
      .then((answer) => {
        kept = answer === null ? null : { answer, untilMs: elapsedMs() + keptMs }
        return answer
      })
      .finally(() => {
        asking = null
      })
    return within(ANSWER_MS_MAX, asking)
  }
}
