// Measures that cost something, asked for once for all who want to know.

import { elapsedMs } from '../../kit/clock.js'
import { within } from '../../kit/within.js'

const ANSWER_MS_MAX = 3_000

/**
 * Asks once, however many want to know, and keeps the answer for a while. Null where it does not come in
 * time: whoever watches the service then still gets everything else.
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
