// A new account with its ledgers and its starting balance.

import type { Account } from '../accounts/account.js'
import { createAccount } from '../accounts/create-account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { openLedgers, transfer } from './ledger-queries.js'

export async function openAccount(
  tx: Transaction,
  input: { name: string; creditMicros: bigint },
  now: Date,
): Promise<Account> {
  const account = await createAccount(tx, input.name, now)
  await openLedgers(tx, account.accountId)
  if (input.creditMicros > 0n) {
    await transfer(tx, {
      accountId: account.accountId,
      reason: 'credit',
      reference: `credit:opening:${account.accountId}`,
      amountMicros: input.creditMicros,
      now,
    })
  }
  return account
}
