// Enforces retention, one account at a time: deletes expired messages, texts, and media, and the remains of deleted
// accounts. It pauses after a full round without work.

import type { AccountId } from '../../accounts/account.js'
import type { Store } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { removeRemains } from '../accounts/delete-account.js'
import { findNextRetention, type RetentionProgress } from '../accounts/retention-queries.js'
import { keepDefault } from './default-retention.js'
import { keepRetention } from './redact-account.js'
import {
  findDefaultBefore,
  findRemovalPlan,
  keepRecords,
  type RemovalPlan,
  removeOrphans,
} from './remove-records.js'

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
      if (plan === null) {
        plan = await planOf(world)
        if (plan) handledInRound += await removeOrphans(db.patient, plan)
      }
      const defaultBefore = plan ? findDefaultBefore(plan, clock.now()) : ''
      const next = await findNextRetention(db, after, defaultBefore)
      after = next?.accountId ?? ''
      if (!next) {
        const handled = handledInRound
        handledInRound = 0
        plan = null
        return handled
      }
      handledInRound += await enforceRetention(db.patient, next, plan, clock.now())
      return 1
    },
  }
}

/** Null while unreachable accounts may keep messages longer than the others: then whole partitions wait. */
async function planOf(world: World): Promise<RemovalPlan | null> {
  const defaultDays = await keepDefault(world)
  if (world.db.workers.isOutage) return null
  return findRemovalPlan(world.db, defaultDays)
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
