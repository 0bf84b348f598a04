// The end of a service, part by part, also when its database does not answer. What is in flight gets some seconds to
// be recorded, and the database as many to come back; then it is abandoned, so that everything that waits for it ends.
// Nothing durable depends on that: leases come back, and carriers repeat what nobody acknowledged.

import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from './kit/clock.js'
import type { Log } from './kit/log.js'
import type { Database } from './kit/postgres/db.js'
import { DatabaseFailure } from './kit/postgres/db-failure.js'
import type { World } from './kit/world.js'

/** An orderly stop takes less, as a rule: nobody has to be asked. */
const QUIET_MS = 3_000
/** For so long no question may have been answered. */
const AWAY_MS = 3_500
const ASK_EVERY_MS = 250

/** Without the database where it is away: then each part ends as far as it can. */
export async function stopInOrder(
  { db, log }: World,
  parts: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const endWatch = leaveWithoutDatabase(db, log)
  try {
    for (const part of parts) {
      await part().catch((error) => {
        if (!(error instanceof DatabaseFailure)) throw error
        log.warn({ err: error }, 'stopping: something could not be recorded')
      })
    }
  } finally {
    endWatch()
  }
}

/** While a stop is under way. Returns what ends the watch. */
function leaveWithoutDatabase(db: Database, log: Log): () => void {
  const over = new AbortController()
  void watch(db, log, over.signal) // never rejects
  return () => over.abort()
}

async function watch(db: Database, log: Log, over: AbortSignal): Promise<void> {
  await rest(QUIET_MS, over)
  let answeredMs = elapsedMs()
  while (!over.aborted) {
    const leftMs = AWAY_MS - elapsedMs(answeredMs)
    if (leftMs <= 0) {
      log.warn('the database does not answer: stopping without it, what is in flight is left')
      db.abandon()
      return
    }
    if (await db.isAnswering(leftMs)) answeredMs = elapsedMs()
    await rest(ASK_EVERY_MS, over)
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}) // it is over
}
