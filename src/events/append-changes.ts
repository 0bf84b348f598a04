// Changes of brands, campaigns, numbers, and conversations, appended in the transaction that makes them. The event contains
// the record as the change left it, because the record may be different when the event is sent.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { insertChanges } from './append-queries.js'

export type Change =
  | { eventType: 'campaign.changed'; campaignId: string; data: object }
  | { eventType: 'number.changed'; campaignId: string; number: string; data: object }
  | { eventType: 'conversation.changed'; campaignId: string; number: null; data: object }

/** In the given order. */
export async function appendChanges(
  tx: Transaction,
  accountId: AccountId,
  changes: readonly Change[],
  now: Date,
): Promise<void> {
  const rows = changes.map((change) => ({ brandId: null, number: null, ...change }))
  await insertChanges(tx, accountId, rows, now)
}

/** Goes to the webhooks of all its campaigns. */
export async function appendChangeOfBrand(
  tx: Transaction,
  accountId: AccountId,
  { brandId, data }: { brandId: string; data: object },
  now: Date,
): Promise<void> {
  const row = { eventType: 'brand.changed', campaignId: null, brandId, number: null, data } as const
  await insertChanges(tx, accountId, [row], now)
}

/** The fields that differ between two wire forms of a record, except the time of the change. */
function changedFields(before: object, after: object): string[] {
  const previous = new Map(Object.entries(before))
  const latter = new Map(Object.entries(after))
  const names = new Set([...previous.keys(), ...latter.keys()])
  return [...names].filter(
    (name) =>
      name !== 'updatedAt' &&
      JSON.stringify(previous.get(name)) !== JSON.stringify(latter.get(name)),
  )
}

/** The additional fields of the event. Null if nothing has changed: there is no event. */
export function differenceOf<Wire extends { status: string }>(
  before: Wire | null,
  after: Wire,
): { previousStatus?: string; changed: string[] } | null {
  if (before === null) return { changed: [] }
  const changed = changedFields(before, after)
  if (changed.length === 0) return null
  return { ...(before.status !== after.status && { previousStatus: before.status }), changed }
}
