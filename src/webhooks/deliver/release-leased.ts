// Returns deliveries that this process has leased to the queue: those that are there, and those that skipped it.

import type { AccountId } from '../../accounts/account.js'
import { directOf, queueDirectDeliveries } from '../../events/queue/delivery-batch-queries.js'
import { releaseDeliveries } from '../../events/queue/delivery-lease-queries.js'
import type { DirectBatch } from '../../events/queue/direct-deliveries.js'
import type { Queryable } from '../../kit/postgres/db.js'

export interface ReturnedDelivery {
  id: string
  eventId: string
  messageId: string | null
  leaseUntil: Date
  batch: DirectBatch | null
}

export async function releaseLeased(
  db: Queryable,
  accountId: AccountId,
  leased: readonly ReturnedDelivery[],
  dueAt: Date,
): Promise<void> {
  const queued = leased.filter(({ batch }) => batch === null)
  const direct = directOf(leased)
  const ids = queued.map(({ id }) => id)
  const leases = [...new Set(queued.map(({ leaseUntil }) => leaseUntil.getTime()))]
  await Promise.all([
    queued.length > 0 &&
      releaseDeliveries(
        db,
        accountId,
        ids,
        leases.map((ms) => new Date(ms)),
        dueAt,
      ),
    direct.length > 0 && queueDirectDeliveries(db, accountId, direct, dueAt, false),
  ])
}
