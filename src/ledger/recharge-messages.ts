// Charges messages that were refunded and then delivered, in the caller's transaction.

import type { AccountId } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import { lockWallet, transferAll } from './ledger-queries.js'

interface Refunded {
  id: string
  campaignId: string
  priceMicros: bigint
}

/**
 * Charges the messages that the wallet covers, in the given order, and no others: the balance cannot go below
 * zero, and a customer is not billed for part of a message. The reference is unique, so none is charged
 * twice.
 */
export async function coverMessages<Message extends Refunded>(
  tx: Transaction,
  accountId: AccountId,
  refunded: readonly Message[],
  now: Date,
): Promise<Message[]> {
  let left = await lockWallet(tx, accountId)
  const covered = refunded.filter(({ priceMicros }) => {
    if (priceMicros > left) return false
    left -= priceMicros
    return true
  })
  const transfers = covered.flatMap(({ id, campaignId, priceMicros }) =>
    priceMicros > 0n
      ? [
          {
            reason: 'message_recharge' as const,
            reference: `recharge:${id}`,
            amountMicros: priceMicros,
            campaignId,
          },
        ]
      : [],
  )
  if (transfers.length > 0) await transferAll(tx, accountId, transfers, now)
  return covered
}
