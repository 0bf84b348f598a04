// How far back time is settled: before that moment nothing is written any more, so what happened can be added up.

import type { Clock } from './clock.js'

/** No transaction that carries an earlier time is still open after this long. */
const OPEN_MS_MAX = 60 * 60 * 1000
// The test clock can jump a month while a transaction is open; so the time must have been seen a while
// ago, too, by the machine's clock.
const SEEN_MS_AGO = 10 * 60 * 1000

/** Asks again and again. Null until it is known. */
export function settledTime(clock: Pick<Clock, 'now'>, nowMs: () => number): () => Date | null {
  let seen = { now: clock.now(), ms: nowMs() }
  let settled: Date | null = null
  return () => {
    if (nowMs() - seen.ms >= SEEN_MS_AGO) {
      settled = new Date(seen.now.getTime() - OPEN_MS_MAX)
      seen = { now: clock.now(), ms: nowMs() }
    }
    return settled
  }
}
