// A heartbeat for a worker whose lease is longer than anyone wants to wait for a dead one. It is renewed
// every other second. If it stops, others may take over. The lease itself stays the token for writes, so a
// worker that only paused cannot overwrite what another has done since.

import type { Clock } from './clock.js'

const ALIVE_MS = 6_000
const RENEW_MS = 2_000

/** In real time: the test clock of the sandbox may jump. */
export interface Alive {
  now: Date
  until: Date
}

export function aliveAt(clock: Clock): Alive {
  const now = clock.machineNow()
  return { now, until: new Date(now.getTime() + ALIVE_MS) }
}

/** Renews while the work continues. A failed renewal is left to the next one. */
export async function stayAlive<T>(
  clock: Clock,
  renew: (until: Date) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let renewing: Promise<unknown> | null = null
  const timer = setInterval(() => {
    renewing ??= renew(aliveAt(clock).until)
      .catch(() => {})
      .finally(() => {
        renewing = null
      })
  }, RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await renewing
  }
}
