// Appends the events of numbers that were bought, released, or changed, in the same transaction: for the live
// stream and for the subscribed webhooks of their campaign.

import type { AccountId } from '../accounts/account.js'
import { appendChanges, type Change, differenceOf } from '../events/append-changes.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { NumberRecord } from './number.js'
import { wireNumberWithCampaign } from './number-wire.js'

export const NUMBER_CHANGES = [
  'bought',
  'activated',
  'failed',
  'released',
  'moved',
  'default',
  'forwarding',
  'refused',
  'accepted',
] as const
export type NumberChange = (typeof NUMBER_CHANGES)[number]

export interface ChangedNumber {
  /** Null if there is nothing to compare: bought or released. */
  before: NumberRecord | null
  after: NumberRecord
  /** Whose webhooks get the event. Default: those of the number's current campaign. */
  campaignId?: string
}

/** No event if nothing changed. */
export async function appendNumberChanges(
  tx: Transaction,
  accountId: AccountId,
  change: NumberChange,
  changed: readonly ChangedNumber[],
  now: Date,
): Promise<void> {
  const events = changed.flatMap(({ before, after, campaignId }): Change[] => {
    const number = wireNumberWithCampaign(after)
    const difference = differenceOf(before && wireNumberWithCampaign(before), number)
    if (!difference) return []
    const data = { change, number, ...difference }
    const about = { campaignId: campaignId ?? after.campaignId, number: after.phoneNumber }
    return [{ eventType: 'number.changed', ...about, data }]
  })
  await appendChanges(tx, accountId, events, now)
}
