// Prices set by the operator, for all accounts or for one, effective from a given time.

import type { AccountId } from '../../accounts/account.js'
import { getAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import { parseDollars, toDollars } from '../../kit/money.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { listOwnPrices, type Price, type PriceKind, setPrice } from '../../ledger/price-book.js'
import { refuseDeleted } from './manage-accounts.js'

export interface NewPrice {
  accountId: AccountId | null
  kind: PriceKind
  /** Null: removes the custom price, so the default price applies. */
  amountMicros: bigint | null
  /** Null: now. */
  effectiveAt: Date | null
}

export async function changePrice(
  tx: Transaction,
  actor: Actor,
  newPrice: NewPrice,
  now: Date,
): Promise<Price> {
  const { accountId, kind } = newPrice
  if (accountId !== null) refuseDeleted(await getAccount(tx, accountId))
  const price: Price = { ...newPrice, effectiveAt: newPrice.effectiveAt ?? now }
  const previous = (await listOwnPrices(tx, accountId)).find(
    (one) => one.kind === kind && one.effectiveAt <= price.effectiveAt,
  )
  await setPrice(tx, price, now)
  const act = { act: 'price.set', accountId, subject: kind } as const
  const before = previous ? amountOf(previous) : null
  const after = { ...amountOf(price), effectiveAt: price.effectiveAt }
  await recordAct(tx, actor, { ...act, before, after }, now)
  return price
}

function amountOf({ amountMicros }: Price): { amount: number | null } {
  return { amount: amountMicros === null ? null : toDollars(amountMicros) }
}

export function wirePrice(price: Price) {
  return {
    account: price.accountId,
    kind: price.kind,
    ...amountOf(price),
    effectiveAt: price.effectiveAt.toISOString(),
  }
}

/** Zero is valid: messages can be free. */
export function readPrice(dollars: number | string | null): bigint | null {
  if (dollars === null) return null
  const micros = parseDollars(String(dollars))
  if (micros === null || micros < 0n) {
    throw fieldRefusal(
      'amount',
      'must be an amount in dollars, 0 or more, with at most six decimals',
    )
  }
  return micros
}
