// Deletes records of deliveries and events after 30 days. The time is in the IDs, so old records are at the start
// of each account's primary keys: no scan, and no separate index. If there are enough that their tables are
// partitioned by time, whole partitions are dropped instead (operator/retention/partition-loop.ts).

import type { AccountId } from '../accounts/account.js'
import { deleteEventsBefore, findNextAccount } from '../events/event-queries.js'
import { deleteDeliveredEventsBefore } from '../events/queue/delivered-event-queries.js'
import { deleteDeliveriesBefore } from '../events/queue/delivery-record-queries.js'
import { DAY_MS } from '../kit/clock.js'
import { idFloor } from '../kit/ids.js'
import { type Family, isCut } from '../kit/partitions/partitions.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { deleteAttemptsBefore } from './attempt-queries.js'

/** Attempts go before their deliveries, and those before their events, so there are no orphans. */
export const RECORDS: Family = {
  tables: [
    { name: 'webhook_attempts', prefix: 'dlv' },
    { name: 'event_deliveries', prefix: 'dlv' },
    { name: 'event_arrivals', prefix: 'dlv' },
    { name: 'events', prefix: 'evt' },
  ],
  longest: 'week',
}
export const RECORDS_KEPT_MS = 30 * DAY_MS
const PORTION = 1_000
const IDLE_MS = 60_000

/** Goes through the accounts, one per step, and rests when a whole round found nothing to delete. */
export function retentionLoop(world: World): Loop {
  let after: AccountId = ''
  let deletedInRound = 0
  return {
    name: 'retention',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'retention failed'),
    step: async () => {
      if (after === '' && (await isCut(world.db, 'events'))) return 0
      const accountId = await findNextAccount(world.db, after)
      after = accountId ?? ''
      if (accountId === null) {
        const deleted = deletedInRound
        deletedInRound = 0
        return deleted
      }
      const before = new Date(world.clock.now().getTime() - RECORDS_KEPT_MS)
      deletedInRound += await deleteOld(world.db.patient, accountId, before)
      return 1
    },
  }
}

/** A portion, in the same order. */
async function deleteOld(db: Queryable, accountId: AccountId, before: Date): Promise<number> {
  const beforeId = idFloor('dlv', before)
  const attempts = await deleteAttemptsBefore(db, accountId, beforeId, PORTION)
  if (attempts === PORTION) return attempts
  const deliveries = await deleteDeliveriesBefore(db, accountId, beforeId, PORTION)
  if (deliveries === PORTION) return attempts + deliveries
  const delivered = await deleteDeliveredEventsBefore(db, accountId, beforeId, PORTION)
  if (delivered === PORTION) return attempts + deliveries + delivered
  const events = await deleteEventsBefore(db, accountId, idFloor('evt', before), PORTION)
  return attempts + deliveries + delivered + events
}
