// The test clock: how far the service's time is ahead of the system's. Stored in the database, so every process
// follows it and it survives a restart.

import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { findOffsetMs } from './clock-queries.js'

/** Renewals, schedules, retries, and retention follow immediately. */
export function moveClock({ clock, hints }: World, offsetMs: number): void {
  clock.moveTo(offsetMs)
  hints.notify('clock')
}

/** Reads the offset from the database. True if the time has moved. */
export async function followClock({ db, clock, config }: World): Promise<boolean> {
  if (config.mode !== 'sandbox') return false
  const offset = await findOffsetMs(db)
  if (offset <= clock.offsetMs) return false
  clock.moveTo(offset)
  return true
}

/** Another process may have moved the clock since the start, which read it. */
export function clockLoop(world: World): Loop {
  let isStart = true
  return {
    name: 'test clock',
    idleMs: 1_000,
    onError: (error) => world.log.warn({ err: error }, 'reading the test clock failed'),
    step: async () => {
      if (isStart) isStart = false
      else if (await followClock(world)) world.hints.notify('clock')
      return 0
    },
  }
}
