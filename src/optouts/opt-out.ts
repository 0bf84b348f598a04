// Opting out and back in: the list, the audit log, and the event, in the caller's transaction.

import type { AccountId } from '../accounts/account.js'
import { appendEvent } from '../events/append-events.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { ChangeSource, Optout } from './optout.js'
import { deleteOptout, insertChange, insertOptout } from './optout-queries.js'

export interface OptoutActor {
  source: ChangeSource
  tokenId: string | null
}

/** How the recipient opted out: a keyword or free text. Null: not by a message. */
export type OptoutMatch = 'exact' | 'near' | null

/** False if the recipient had already opted out. Then nothing is written and no event is sent. */
export async function optOut(
  tx: Transaction,
  accountId: AccountId,
  optout: Optout,
  actor: OptoutActor,
): Promise<boolean> {
  const isNew = await recordOptout(tx, accountId, optout, actor)
  if (isNew) await appendOptout(tx, accountId, optout, null)
  return isNew
}

/** The list and the audit log, without the event. False if the recipient had already opted out. */
export async function recordOptout(
  tx: Transaction,
  accountId: AccountId,
  optout: Optout,
  actor: OptoutActor,
): Promise<boolean> {
  if (!(await insertOptout(tx, accountId, optout))) return false
  const { campaignId, recipient, reason, optedOutAt: now } = optout
  const change = 'opted_out'
  await insertChange(tx, { ...actor, accountId, campaignId, recipient, change, reason, now })
  return true
}

export async function appendOptout(
  tx: Transaction,
  accountId: AccountId,
  optout: Optout,
  match: OptoutMatch,
): Promise<void> {
  const { campaignId, recipient, number, keyword, messageId, optedOutAt: now } = optout
  const optedOutAt = now.toISOString()
  await appendEvent(tx, {
    accountId,
    eventType: 'recipient.optout',
    campaignId,
    number,
    messageId,
    data: { recipient, number, campaignId, keyword, match, messageId, optedOutAt },
    now,
  })
}

/** False if the recipient had not opted out. */
export async function optIn(
  tx: Transaction,
  accountId: AccountId,
  who: { campaignId: string; recipient: string; reason: string | null; now: Date },
  actor: OptoutActor,
): Promise<boolean> {
  if (!(await deleteOptout(tx, accountId, who.campaignId, who.recipient))) return false
  await insertChange(tx, { ...actor, ...who, accountId, change: 'opted_in' })
  return true
}
