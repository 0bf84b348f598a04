// Credits and corrections by an operator. The ledger records the entry that the customer sees. The audit log records who
// did it, and the balance before and after.

import type { AccountId } from '../../accounts/account.js'
import { lockAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { newId } from '../../kit/ids.js'
import { toDollars } from '../../kit/money.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { correctAccount, creditAccount } from '../../ledger/credit-account.js'
import { lockWallet } from '../../ledger/ledger-queries.js'
import {
  actOn,
  getOperatedAccount,
  type OperatedAccount,
  refuseDeleted,
} from './manage-accounts.js'

export interface LedgerAdjustment {
  amountMicros: bigint
  /** Shown to the customer in the ledger. */
  note: string
  /** For example a payment number: a repeated one is refused. Null: none, so the action can be repeated. */
  reference: string | null
}

export function creditCustomer(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  request: LedgerAdjustment,
  now: Date,
): Promise<OperatedAccount> {
  return move(tx, actor, accountId, 'account.credit', request, now)
}

/** A positive amount adds, a negative one deducts, up to the balance. */
export function correctCustomer(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  request: LedgerAdjustment,
  now: Date,
): Promise<OperatedAccount> {
  return move(tx, actor, accountId, 'account.correct', request, now)
}

async function move(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  act: 'account.credit' | 'account.correct',
  { amountMicros, note, reference }: LedgerAdjustment,
  now: Date,
): Promise<OperatedAccount> {
  refuseDeleted(await lockAccount(tx, accountId))
  const before = { balance: toDollars(await lockWallet(tx, accountId)) }
  const deposit = { amountMicros, note, reference: reference ?? newId('trf', now) }
  const write = act === 'account.credit' ? creditAccount : correctAccount
  const entryId = await write(tx, accountId, deposit, now)
  const account = await getOperatedAccount(tx, accountId)
  const after = {
    balance: toDollars(account.balanceMicros),
    amount: toDollars(amountMicros),
    note,
    reference,
    entryId,
  }
  await recordAct(tx, actor, { ...actOn(act, account), before, after }, now)
  return account
}
