// What a carrier's list shows about a message with an unknown outcome. Listed messages whose ID belongs to another
// message are excluded. The rest is the message, or the list proves that the carrier does not have it.

import type { World } from '../../kit/world.js'
import type { Listed, Sent } from '../carrier-port.js'
import { hasRival } from '../evidence/unproven-queries.js'
import { claimCarrierId, findCarrierIds } from '../moves/carrier-id-queries.js'
import type { UnsettledMessage } from './settle-queries.js'

/** The carrier does not have it, so sending it again is not a duplicate. */
export interface Absent {
  kind: 'absent'
}

/** Null: the list proves nothing. */
export async function findListed(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  message: UnsettledMessage,
  { link, carrierIds, similarIds, isComplete, hasTexts }: Listed,
): Promise<Sent | Absent | { kind: 'down' } | null> {
  const { accountId, id: messageId } = message
  // Listed IDs may belong to messages of accounts that cannot be reached now, so the list is requested again later.
  if (db.workers.isOutage) return { kind: 'down' }
  const recorded = await findCarrierIds(db, { link, carrierIds: [...carrierIds, ...similarIds] })
  const free = carrierIds.filter((id) => (recorded.get(id)?.messageId ?? messageId) === messageId)
  if (free.length === 0) {
    const isExplained = similarIds.every((id) => recorded.has(id))
    return isComplete && isExplained ? { kind: 'absent' } : null
  }
  // Without texts, two messages between the same numbers look the same.
  if (!hasTexts && (free.length > 1 || (await hasRival(db, message)))) return null
  // With the same text, the same numbers, and no response, any of them will do.
  for (const carrierId of free) {
    const row = { link, carrierId, accountId, messageId, part: 0, parts: 1 }
    const claim = () => db.transaction((tx) => claimCarrierId(tx, row, clock.now()))
    const isOurs = recorded.has(carrierId) || (await claim())
    if (isOurs) return { kind: 'sent', link, carrierIds: [carrierId] }
  }
  return null
}
