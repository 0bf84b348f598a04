// Forwarding stopped by the operator: for one number until it is allowed again, or for a whole account while it is
// suspended.

import type { AccountId } from '../../accounts/account.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { recordForwardingStop } from '../forwarding-queries.js'
import type { NumberRecord } from '../number.js'
import { findNumber, lockNumber, updateForwardingStop } from '../number-queries.js'
import { forwardAllTasks } from '../provider-number-queries.js'
import { applyForwarding } from './set-forwarding.js'

interface ForwardingStopRequest {
  phoneNumber: string | null
  reason: string
}

/** Removes the target. The owner cannot set another one until the operator allows it. */
export const stopForwarding = forwardingChange((number, now) => ({
  ...number,
  forwardNumber: null,
  forwardingStoppedAt: now,
}))

/** The owner may set a target again. The removed one does not come back automatically. */
export const allowForwarding = forwardingChange((number) => ({
  ...number,
  forwardingStoppedAt: null,
}))

function forwardingChange(change: (number: NumberRecord, now: Date) => NumberRecord) {
  return async (
    tx: Transaction,
    actor: Actor,
    { phoneNumber, reason }: ForwardingStopRequest,
    now: Date,
  ): Promise<NumberRecord> => {
    const before = await lockAnyNumber(tx, phoneNumber)
    const after = change(before, now)
    if (before.forwardNumber !== after.forwardNumber) {
      await applyForwarding(tx, before, after, now)
    }
    await recordStop(tx, actor, { before, after, reason }, now)
    return after
  }
}

/** Together with the account's change of status. Every process that answers calls follows. */
export async function moveForwardings(
  tx: Transaction,
  accountId: AccountId,
  isStopped: boolean,
  now: Date,
): Promise<void> {
  await recordForwardingStop(tx, accountId, isStopped)
  await forwardAllTasks(tx, accountId, now)
}

async function lockAnyNumber(tx: Transaction, phoneNumber: string | null): Promise<NumberRecord> {
  const number = phoneNumber === null ? null : await findNumber(tx, phoneNumber)
  if (number === null) throw new Refusal('number_missing')
  return lockNumber(tx, number.accountId, number.phoneNumber)
}

interface RecordedStop {
  before: NumberRecord
  after: NumberRecord
  reason: string
}

async function recordStop(
  tx: Transaction,
  actor: Actor,
  { before, after, reason }: RecordedStop,
  now: Date,
): Promise<void> {
  await updateForwardingStop(tx, after)
  const stateOf = ({ forwardingStoppedAt, forwardNumber }: NumberRecord) => ({
    isStopped: forwardingStoppedAt !== null,
    forwardNumber,
  })
  await recordAct(
    tx,
    actor,
    {
      act: after.forwardingStoppedAt ? 'number.stop_forwarding' : 'number.allow_forwarding',
      accountId: after.accountId,
      subject: after.phoneNumber,
      before: stateOf(before),
      after: { ...stateOf(after), reason },
    },
    now,
  )
}
