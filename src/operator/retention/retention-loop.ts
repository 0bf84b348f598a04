// Enforces retention, one account at a time: deletes expired messages, texts, and media, and the remains of deleted
// accounts. It pauses after a full round without work.

import type { AccountId } from '../../accounts/account.js'
import type { Database, Store } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { removeRemains } from '../accounts/delete-account.js'
import { findNextRetention, type RetentionProgress } from '../accounts/retention-queries.js'
import { keepRetention } from './redact-account.js'
import { findRemovalPlan, keepRecords, type RemovalPlan } from './remove-records.js'

const IDLE_MS = 60_000

export function accountRetentionLoop(world: World): Loop {
  const { db, clock, log } = world
  let after: AccountId = ''
  let handledInRound = 0
  let plan: RemovalPlan | null = null
  return {
    name: 'account retention',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'retention of messages, texts, and media failed'),
    step: async () => {
      const next = await findNextRetention(db, after)
      after = next?.accountId ?? ''
      if (!next) {
        const handled = handledInRound
        handledInRound = 0
        plan = null
        return handled
      }
      plan ??= await planOf(db)
      handledInRound += await enforceRetention(db.patient, next, plan, clock.now())
      return 1
    },
  }
}

/** Null while unreachable accounts may keep messages longer than the others: then whole partitions wait. */
async function planOf(db: Database): Promise<RemovalPlan | null> {
  if (db.workers.isOutage) return null
  return findRemovalPlan(db)
}

async function enforceRetention(
  db: Store,
  progress: RetentionProgress,
  plan: RemovalPlan | null,
  now: Date,
): Promise<number> {
  const { deletingSince } = progress
  if (deletingSince !== null) return removeRemains(db, { ...progress, deletingSince }, now)
  const redacted = await keepRetention(db, progress, now)
  return redacted + (plan ? await keepRecords(db, progress, plan, now) : 0)
}
