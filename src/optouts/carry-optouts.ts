// Opt-outs move with the numbers: a recipient who sent STOP to a number must not hear from it again just because it
// now belongs to another campaign. A portion at a time, in order of recipients.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { copyOptouts, insertChanges, listOptouts } from './optout-queries.js'

/** The last recipient of the portion. Null if there was none left. */
export async function carryOptouts(
  tx: Transaction,
  accountId: AccountId,
  move: { from: string; to: string; after: string },
  limit: number,
  now: Date,
): Promise<string | null> {
  const { from, to, after } = move
  const portion = await listOptouts(tx, accountId, from, { limit, skip: 0, after })
  if (portion.length === 0) return null
  const recipients = portion.map(({ recipient }) => recipient)
  const carried = await copyOptouts(tx, accountId, { from, to }, recipients)
  const reason = `Copied with the numbers of ${from}`
  const change = { campaignId: to, change: 'opted_out' as const, reason, tokenId: null, now }
  await insertChanges(tx, { accountId, source: 'campaign_end', ...change }, carried)
  return recipients.at(-1)!
}
