// How long a test waits for a condition before it fails: longer on a busy machine, because that is not a fault, and not longer
// than necessary on a quiet one, where a wait in vain should be reported soon.

import os from 'node:os'

/** Processes of a cluster look for what another one left behind once a minute (due-finder.ts). */
const QUIET_MS = process.env.TEST_CITUS_URL === undefined ? 60_000 : 150_000
const BUSY_MS_MAX = 300_000

/** By the load of the last minute for each processor. Asked at every poll, because the load may just have risen. */
export function patienceMs(): number {
  const load = os.loadavg()[0]! / os.availableParallelism()
  return Math.min(QUIET_MS * Math.max(1, load), BUSY_MS_MAX)
}
