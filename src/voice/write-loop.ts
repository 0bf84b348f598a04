// Writes the call data in memory to the database every second. While the database is down, the data waits, and the log
// reports it once.

import type { Log } from '../kit/log.js'
import type { Loop } from '../kit/worker-loop.js'

const WRITE_EVERY_MS = 1_000
const RETRY_MS_MAX = 5_000

/** `write` rejects while the database is down, and keeps the data that it could not write. */
export function writeLoop(
  name: string,
  log: Pick<Log, 'warn'>,
  write: () => Promise<void>,
  problem: string,
): Loop {
  let isAway = false
  return {
    name,
    idleMs: WRITE_EVERY_MS,
    errorDelayMs: WRITE_EVERY_MS,
    errorDelayMsMax: RETRY_MS_MAX,
    step: async () => {
      await write()
      isAway = false
      return 0
    },
    onError: (error) => {
      if (!isAway) log.warn({ err: error }, problem)
      isAway = true
    },
  }
}
