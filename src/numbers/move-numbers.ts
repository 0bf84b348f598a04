// Moves numbers to another campaign of the account. Paid time stays paid. From its next renewal on, the other
// campaign pays for them. A provider's numbers are PENDING until the provider has moved them, because networks
// would block messages sent before that.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { appendNumberChanges } from './append-number-changes.js'
import type { NumberRecord } from './number.js'
import {
  findDefaultNumber,
  updateCampaignOf,
  updateDefault,
  updatePending,
} from './number-queries.js'
import { rebindTasks } from './provider-number-queries.js'

const MOVING =
  'Moving to this campaign. Messages from this number wait until its provider confirms the move'

/** The caller has locked both campaigns. Both get the event. */
export async function moveNumbers(
  tx: Transaction,
  accountId: AccountId,
  numbers: readonly NumberRecord[],
  campaignId: string,
  now: Date,
): Promise<void> {
  const phoneNumbers = numbers.map((number) => number.phoneNumber)
  const isDefaultless = (await findDefaultNumber(tx, accountId, campaignId)) === null
  await updateCampaignOf(tx, accountId, phoneNumbers, campaignId)
  const isFromProvider = numbers.some(({ link }) => link !== null)
  const moving = isFromProvider ? await rebindTasks(tx, { accountId, phoneNumbers, now }) : []
  if (moving.length > 0) await updatePending(tx, accountId, moving, MOVING)
  const pending = { status: 'PENDING' as const, statusReason: MOVING }
  const first = numbers.find(({ status }) => status !== 'FAILED')
  const moved = numbers.map((before) => ({
    before,
    after: {
      ...before,
      ...(moving.includes(before.phoneNumber) && pending),
      campaignId,
      isDefault: isDefaultless && before === first,
    },
  }))
  const made = moved.find(({ after }) => after.isDefault)
  if (made) await updateDefault(tx, made.after)
  const leaving = moved.map((one) => ({ ...one, campaignId: one.before.campaignId }))
  await appendNumberChanges(tx, accountId, 'moved', [...leaving, ...moved], now)
}
