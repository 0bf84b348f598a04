// Forwards the inbound calls of a number to another number, or stops forwarding. Stopping, or setting the current
// target again, is never refused.

import type { AccountId } from '../../accounts/account.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { ForwardingConfig } from '../../kit/settings/voice-config.js'
import { appendNumberChanges } from '../append-number-changes.js'
import { recordForwardings } from '../forwarding-queries.js'
import type { NumberRecord } from '../number.js'
import { lockNumber, updateForwarding } from '../number-queries.js'
import { forwardTasks } from '../provider-number-queries.js'
import { checkForwarding } from './check-forwarding.js'

export interface ForwardingRequest {
  accountId: AccountId
  phoneNumber: string | null
  /** E.164, or null to stop. */
  forwardNumber: string | null
}

export async function setForwarding(
  tx: Transaction,
  actor: Actor,
  { accountId, phoneNumber, forwardNumber }: ForwardingRequest,
  rules: ForwardingConfig,
  now: Date,
): Promise<NumberRecord> {
  const before = await lockNumber(tx, accountId, phoneNumber)
  if (forwardNumber === before.forwardNumber) return before
  if (forwardNumber !== null) await checkForwarding(tx, before, forwardNumber, rules, now)
  const number: NumberRecord = { ...before, forwardNumber }
  await applyForwarding(tx, before, number, now)
  await recordAct(
    tx,
    actor,
    {
      act: 'number.forward',
      accountId,
      subject: number.phoneNumber,
      before: { forwardNumber: before.forwardNumber },
      after: { forwardNumber },
    },
    now,
  )
  return number
}

/** Writes the target and notifies the nodes, the provider, and subscribers of events. */
export async function applyForwarding(
  tx: Transaction,
  before: NumberRecord,
  after: NumberRecord,
  now: Date,
): Promise<void> {
  const { accountId, phoneNumber, link } = after
  await updateForwarding(tx, after)
  await recordForwardings(tx, [{ ...after, isHeld: true }])
  if (link !== null) await forwardTasks(tx, { accountId, phoneNumbers: [phoneNumber], now })
  await appendNumberChanges(tx, accountId, 'forwarding', [{ before, after }], now)
}
