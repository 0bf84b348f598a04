// How far back time is settled: nothing is written before that time any more, so sums are final.

import { type Clock, HOUR_MS } from './clock.js'

/** After this long, no transaction with an earlier time is still open. */
const OPEN_MS_MAX = HOUR_MS
// The test clock can jump a month while a transaction is open, so the time must also have been seen some real
// time ago.
const SEEN_MS_AGO = 10 * 60 * 1000

/** Asks repeatedly. Null until it is known. */
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
