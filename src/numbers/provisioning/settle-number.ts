// Settles a number after its provider's response: ACTIVE, or FAILED with a refund in the same transaction. Each
// applies only under the lease, so two workers never both settle.

import { lockCampaign } from '../../campaigns/campaign-queries.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { transfer } from '../../ledger/ledger-queries.js'
import { appendNumberChanges } from '../append-number-changes.js'
import type { NumberRecord } from '../number.js'
import { getNumber, lockNumber, updateStatus } from '../number-queries.js'
import { deleteTask, type ProvisioningTask, recordTask } from '../provider-number-queries.js'
import { passDefaultOn } from '../release-number.js'

const REASON_CHARS_MAX = 300

/** Bought, or moved to another campaign: its messages are sent from now on. */
export async function activateNumber(
  world: World,
  leased: ProvisioningTask,
  task: ProvisioningTask,
): Promise<void> {
  const { db, clock, hints } = world
  await db.transaction(async (tx) => {
    const now = clock.now()
    const before = await lockNumber(tx, task.accountId, task.phoneNumber)
    const completed = { ...task, phase: 'held' as const, since: now, attempts: 0, lastError: null }
    if (!(await recordTask(tx, leased, { ...completed, dueAt: null }))) return
    const after: NumberRecord = { ...before, status: 'ACTIVE', statusReason: null }
    await updateStatus(tx, after)
    await appendNumberChanges(tx, task.accountId, 'activated', [{ before, after }], now)
  })
  hints.notify('messages')
  hints.notify('deliveries')
}

/** If the provider delivered it anyway, it is returned. */
export async function failNumber(
  world: World,
  leased: ProvisioningTask,
  reason: string,
): Promise<void> {
  const { db, clock, hints, log } = world
  const { accountId, phoneNumber, id, link } = leased
  await db.transaction(async (tx) => {
    const now = clock.now()
    const { campaignId } = await getNumber(tx, accountId, phoneNumber)
    await lockCampaign(tx, accountId, campaignId)
    const before = await lockNumber(tx, accountId, phoneNumber)
    if (!(await endLeased(tx, leased, now))) return
    const statusReason = reason.slice(0, REASON_CHARS_MAX)
    const after: NumberRecord = { ...before, status: 'FAILED', statusReason, isDefault: false }
    await updateStatus(tx, after)
    if (before.isDefault) await passDefaultOn(tx, accountId, before.campaignId, now)
    await refund(tx, leased, now)
    await appendNumberChanges(tx, accountId, 'failed', [{ before, after }], now)
  })
  log.warn({ task: id, link }, 'a number was not available: refunded')
  hints.notify('numbers')
  hints.notify('deliveries')
}

function endLeased(tx: Transaction, leased: ProvisioningTask, now: Date): Promise<boolean> {
  if (leased.numberId === null) return deleteTask(tx, leased)
  const release = { ...leased, phase: 'release' as const }
  return recordTask(tx, leased, { ...release, since: now, attempts: 0, dueAt: now })
}

/** It belongs to the provider again, or was never ours. In the latter case the charge is refunded. */
export async function endTask(
  { db, clock }: World,
  leased: ProvisioningTask,
  { isRefunded }: { isRefunded: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    if ((await deleteTask(tx, leased)) && isRefunded) await refund(tx, leased, clock.now())
  })
}

/** Named like the purchase, so it cannot be refunded twice. */
async function refund(
  tx: Transaction,
  { accountId, phoneNumber, purchasedAt, chargedMicros, campaignId }: ProvisioningTask,
  now: Date,
): Promise<void> {
  if (chargedMicros === 0n) return
  await transfer(tx, {
    ...{ accountId, campaignId, now },
    reason: 'number_refund',
    reference: `number_refund:${phoneNumber}:${purchasedAt.toISOString()}`,
    amountMicros: chargedMicros,
  })
}
