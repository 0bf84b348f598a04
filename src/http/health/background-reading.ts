// A measurement that reads much of the database, made in the background. A scrape starts it and reports the last result.

import { elapsedMs } from '../../kit/clock.js'

const KEPT_MS = 60_000
/** At any size of the database, at most a twentieth of the time goes into it. */
const SHARE = 20

/** Returns the last result. Null: there is none yet. */
export function readInBackground<T>(
  measure: () => Promise<T>,
  onError: (error: unknown) => void,
): () => T | null {
  let result: T | null = null
  let notBeforeMs = 0
  let isRunning = false

  const refresh = async (): Promise<void> => {
    const startedMs = elapsedMs()
    result = await measure()
    notBeforeMs = elapsedMs() + Math.max(KEPT_MS, elapsedMs(startedMs) * SHARE)
  }

  return () => {
    if (!isRunning && elapsedMs() >= notBeforeMs) {
      isRunning = true
      refresh()
        .catch(onError)
        .finally(() => {
          isRunning = false
        })
    }
    return result
  }
}
