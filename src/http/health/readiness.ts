// Determines within a second whether the service can work. All concurrent probes share one database query, so
// a hanging probe does not pile up.

import { elapsedMs } from '../../kit/clock.js'
import type { FieldProblem } from '../../kit/contract/refusal.js'
import { pendingMigrations } from '../../kit/postgres/migrate.js'
import { within } from '../../kit/within.js'
import type { World } from '../../kit/world.js'
import { plural } from '../../text/plural.js'
import { findDatabaseState } from './readiness-queries.js'

const ANSWER_MS_MAX = 800
const SLOW_MS = 300

type DatabaseState = 'ok' | 'slow' | 'read_only'

export interface Readiness {
  database: DatabaseState
  /** The first component that is not ready; null if all are. */
  problem: FieldProblem | null
  /** Which database this is; null while it does not answer. */
  identity: string | null
  /** Problems that do not keep the service from working. */
  note: FieldProblem | null
}

interface Asking {
  sinceMs: number
  answer: Promise<Readiness>
}

export function createReadinessProbe(world: World): () => Promise<Readiness> {
  const ask = createQuestion(world)
  let asking: Asking | null = null
  return async () => {
    asking ??= {
      sinceMs: elapsedMs(),
      answer: ask().finally(() => {
        asking = null
      }),
    }
    const { sinceMs, answer } = asking
    return (await within(ANSWER_MS_MAX, answer)) ?? notReady('database', silence(world, sinceMs))
  }
}

/** Applied migrations stay applied, so this is checked until it succeeds once. Never rejects. */
function createQuestion({ db, log }: World): () => Promise<Readiness> {
  let isMigrated = false
  return async () => {
    const startedMs = elapsedMs()
    try {
      // A worker that hangs may hold the loops' connections for a while. Others can still be served.
      const quick = db.workers.isKnownCluster ? db.probe : db
      const { isReadOnly, identity } = await findDatabaseState(quick)
      const tookMs = Math.round(elapsedMs(startedMs))
      const pending = isMigrated ? [] : await pendingMigrations(db)
      isMigrated = pending.length === 0
      if (!isMigrated) {
        return { ...notReady('migrations', `are behind: ${pending.join(', ')}`), identity }
      }
      if (isReadOnly)
        return ready(identity, 'read_only', 'is read-only: requests that write get 503')
      if (tookMs < SLOW_MS) return ready(identity, 'ok', null)
      return ready(identity, 'slow', `responds slowly: ${tookMs} ms`)
    } catch (error) {
      log.warn({ err: error }, 'the database does not respond')
      return notReady('database', 'does not answer')
    }
  }
}

function ready(identity: string, database: DatabaseState, problem: string | null): Readiness {
  const note = problem === null ? null : { field: 'database', problem }
  return { database, problem: null, identity, note }
}

function notReady(field: string, problem: string): Readiness {
  return { database: 'ok', problem: { field, problem }, identity: null, note: null }
}

function silence({ db }: World, sinceMs: number): string {
  const { total, waiting } = db.poolUse()
  if (waiting > 0) {
    const waits = plural(waiting, 'request waits', 'requests wait')
    return `has no free connection: ${plural(total, 'is', 'are')} busy, and ${waits}`
  }
  return `has not responded for ${(elapsedMs(sinceMs) / 1000).toFixed(1)} s`
}
