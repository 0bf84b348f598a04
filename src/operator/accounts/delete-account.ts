// Deletes an account. One transaction makes the decision: its tokens stop working, and its numbers are for sale again.
// The retention loop removes its rows later, in batches.

import type { AccountId } from '../../accounts/account.js'
import { lockAccount, updateAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { toDollars } from '../../kit/money.js'
import type { Store, Transaction } from '../../kit/postgres/db.js'
import { findBalanceMicros } from '../../ledger/ledger-queries.js'
import { listNumbers } from '../../numbers/number-queries.js'
import { releaseNumber } from '../../numbers/release-number.js'
import { DELETED_TABLES, deleteRows } from './deletion-queries.js'
import { actOn } from './manage-accounts.js'
import { deleteRetention, recordDeleting } from './retention-queries.js'

const PORTION = 1_000
/** By then, every request that was running when the account was suspended has ended. */
const SETTLED_MS = 60_000

export async function deleteAccount(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  reason: string,
  now: Date,
): Promise<void> {
  const account = await lockAccount(tx, accountId)
  if (account.status !== 'SUSPENDED') {
    throw new Refusal(
      'account_state',
      `The account is ${account.status}. Only a SUSPENDED account can be deleted.`,
    )
  }
  const balance = toDollars(await findBalanceMicros(tx, accountId))
  const released = await releaseAll(tx, accountId, now)
  await updateAccount(tx, { ...account, name: 'Deleted account', status: 'DELETED' })
  await recordDeleting(tx, accountId, now)
  const before = { status: account.status, balance, numbers: released }
  const after = { status: 'DELETED', reason }
  await recordAct(tx, actor, { ...actOn('account.delete', account), before, after }, now)
}

async function releaseAll(tx: Transaction, accountId: AccountId, now: Date): Promise<number> {
  let released = 0
  for (;;) {
    const portion = await releasePortion(tx, accountId, now)
    released += portion
    if (portion === 0) return released
  }
}

async function releasePortion(tx: Transaction, accountId: AccountId, now: Date): Promise<number> {
  const page = { limit: PORTION, skip: 0, after: null }
  const numbers = await listNumbers(tx, accountId, page)
  for (const { phoneNumber } of numbers) await releaseNumber(tx, accountId, phoneNumber, now)
  return numbers.length
}

/** Removes a batch of what is left. Returns the number of rows; 0 if nothing is left. */
export async function removeRemains(
  db: Store,
  { accountId, deletingSince }: { accountId: AccountId; deletingSince: Date },
  now: Date,
): Promise<number> {
  // Bought by a request that was running at the time: put it up for sale again like the others.
  const late = await db.transaction((tx) => releasePortion(tx, accountId, now))
  if (late > 0) return late
  for (const table of DELETED_TABLES) {
    const deleted = await deleteRows(db, table, accountId, PORTION)
    if (deleted > 0) return deleted
  }
  if (now.getTime() - deletingSince.getTime() >= SETTLED_MS) await deleteRetention(db, accountId)
  return 0
}
