// Stops a service part by part, even if its database does not answer. Work in progress gets a few seconds to be
// recorded, and the database the same time to come back. Then the database is abandoned, and everything that waits for
// it ends. Nothing durable depends on that: leases expire, and carriers repeat what nobody acknowledged.

import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from './kit/clock.js'
import type { Log } from './kit/log.js'
import type { Database } from './kit/postgres/db.js'
import { DatabaseFailure } from './kit/postgres/db-failure.js'
import type { World } from './kit/world.js'

/** An orderly stop usually takes less, so the database is not probed before. */
const QUIET_MS = 3_000
/** The database counts as gone after no answer for this long. */
const AWAY_MS = 3_500
const ASK_EVERY_MS = 250

/** Continues without the database if it is down: then each part ends as far as it can. */
export async function stopInOrder(
  { db, log }: World,
  parts: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const endWatch = leaveWithoutDatabase(db, log)
  try {
    for (const part of parts) {
      await part().catch((error) => {
        if (!(error instanceof DatabaseFailure)) throw error
        log.warn({ err: error }, 'stopping: some work could not be recorded')
      })
    }
  } finally {
    endWatch()
  }
}

/** Watches the database during a stop. Returns a function that ends the watch. */
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
      log.warn('the database does not answer: stopping without it and abandoning work in progress')
      db.abandon()
      return
    }
    if (await db.isAnswering(leftMs)) answeredMs = elapsedMs()
    await rest(ASK_EVERY_MS, over)
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}) // the stop is over
}
