// What a carrier's list says about a message whose outcome is unknown: those in it whose id another message has are not
// it. What is left is it, or the list proves that the carrier does not have it.

import type { World } from '../../kit/world.js'
import type { Listed, Sent } from '../carrier-port.js'
import { hasRival } from '../evidence/unproven-queries.js'
import { claimCarrierId, findCarrierIds } from '../moves/carrier-id-queries.js'
import type { UnsettledMessage } from './settle-queries.js'

/** The carrier does not have it: sending it again is no repetition. */
export interface Absent {
  kind: 'absent'
}

/** Null: the list does not tell. */
export async function findListed(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  message: UnsettledMessage,
  { link, carrierIds, similarIds, isComplete, hasTexts }: Listed,
): Promise<Sent | Absent | null> {
  const { accountId, id: messageId } = message
  const known = await findCarrierIds(db, link, [...carrierIds, ...similarIds])
  const free = carrierIds.filter((id) => (known.get(id)?.messageId ?? messageId) === messageId)
  if (free.length === 0) {
    const isExplained = similarIds.every((id) => known.has(id))
    return isComplete && isExplained ? { kind: 'absent' } : null
  }
  // Without texts nobody can tell two messages between the same numbers apart.
  if (!hasTexts && (free.length > 1 || (await hasRival(db, accountId, message)))) return null
  // With the same text, the same numbers and no response, any of them is as good as another.
  for (const carrierId of free) {
    const row = { link, carrierId, accountId, messageId, part: 0, parts: 1 }
    const isOurs = known.has(carrierId) || (await claimCarrierId(db, row, clock.now()))
    if (isOurs) return { kind: 'sent', link, carrierIds: [carrierId] }
  }
  return null
}
