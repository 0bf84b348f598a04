// What a statement leased without the queue, as rows that requests are made from.

import type {
  DirectBatch,
  DirectDelivery,
  DirectLease,
  StatusChange,
} from '../../events/queue/direct-deliveries.js'
import type { LeasedRow } from './make-requests.js'

export interface DirectRow extends LeasedRow {
  isBehind: boolean
}

/** Written out, because spreading costs several microseconds, and this is once per request. */
export function directRows(
  created: readonly DirectDelivery[],
  change: StatusChange,
  lease: Pick<DirectLease, 'subscriberIds' | 'batchIds'>,
): DirectRow[] {
  const batches = batchesOf(lease, created)
  return created.map(({ id, subscriberId, eventId, messageId, sequence, isBehind }) => ({
    id,
    subscriberId,
    eventId,
    messageId,
    sequence,
    isBehind,
    change,
    batch: batches.get(subscriberId)!,
    attempts: 0,
    attemptsBefore: 0,
  }))
}

/** By subscriber. */
function batchesOf(
  { subscriberIds, batchIds }: Pick<DirectLease, 'subscriberIds' | 'batchIds'>,
  created: readonly DirectDelivery[],
): Map<string, DirectBatch> {
  const batches = new Map<string, DirectBatch>()
  for (const [i, id] of batchIds.entries()) batches.set(subscriberIds[i]!, { id, left: 0 })
  for (const { subscriberId } of created) batches.get(subscriberId)!.left += 1
  return batches
}
