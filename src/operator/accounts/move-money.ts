// Money that an operator gives, or corrects either way. The ledger keeps the entry that the customer
// reads; the audit log keeps who did it and what the balance was before and after.

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

export interface WantedMove {
  amountMicros: bigint
  /** The customer reads it in the ledger. */
  note: string
  /** A payment's number, say: used twice, it is refused. Null: the act has none and may be repeated. */
  reference: string | null
}

export function creditCustomer(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  wanted: WantedMove,
  now: Date,
): Promise<OperatedAccount> {
  return move(tx, actor, accountId, 'account.credit', wanted, now)
}

/** Positive gives, negative takes; what the wallet does not hold cannot be taken. */
export function correctCustomer(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  wanted: WantedMove,
  now: Date,
): Promise<OperatedAccount> {
  return move(tx, actor, accountId, 'account.correct', wanted, now)
}

async function move(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  act: 'account.credit' | 'account.correct',
  { amountMicros, note, reference }: WantedMove,
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
