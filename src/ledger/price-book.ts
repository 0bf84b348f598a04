// What messages cost, and from when: prices of one account, else everybody's, else the settings. Kept
// for a few seconds, since every send asks.

import type { AccountId } from '../accounts/account.js'
import type { Config } from '../kit/config.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { AMOUNT_MICROS_MAX } from './amount.js'
import { listPrices, upsertPrice } from './price-queries.js'

export const PRICE_KINDS = ['sms', 'mms'] as const
export type PriceKind = (typeof PRICE_KINDS)[number]

export interface Price {
  /** Null: everybody who has no price of their own. */
  accountId: AccountId | null
  /** An SMS costs this for each segment, an MMS once. */
  kind: PriceKind
  /** Null: from then on, as if this account (or everybody) had none. */
  amountMicros: bigint | null
  effectiveAt: Date
}

export type Prices = Pick<Config, 'smsPriceMicros' | 'mmsPriceMicros'>

export interface PriceBook {
  /** What the account pays now. A promise only where that is not known yet. */
  of: (accountId: AccountId) => Prices | Promise<Prices>
}

const KEPT_MS = 3_000
const KEPT_MAX = 10_000

export function createPriceBook({ db, clock, config }: World): PriceBook {
  const kept = new Map<AccountId, { prices: Prices; until: number }>()
  const loading = new Map<AccountId, Promise<Prices>>() // many sends ask at once, one asks the database
  const load = async (accountId: AccountId): Promise<Prices> => {
    const list = await listPrices(db, accountId)
    const now = clock.now()
    const prices = pricesAt(list, config, now)
    const next = list.findLast(({ effectiveAt }) => effectiveAt > now)?.effectiveAt.getTime()
    if (kept.size >= KEPT_MAX) kept.clear()
    kept.set(accountId, { prices, until: Math.min(now.getTime() + KEPT_MS, next ?? Infinity) })
    return prices
  }
  return {
    of: (accountId) => {
      const known = kept.get(accountId)
      if (known && known.until > clock.nowMs()) return known.prices
      const underWay = loading.get(accountId)
      if (underWay) return underWay
      const begun = load(accountId).finally(() => loading.delete(accountId))
      loading.set(accountId, begun)
      return begun
    },
  }
}

/** The list is the latest first, as `listPrices` gives it. */
export function pricesAt(list: readonly Price[], settings: Prices, now: Date): Prices {
  const begun = list.filter(({ effectiveAt }) => effectiveAt <= now)
  const latest = (kind: PriceKind, isOwn: boolean): bigint | null =>
    begun.find((price) => price.kind === kind && (price.accountId !== null) === isOwn)
      ?.amountMicros ?? null
  return {
    smsPriceMicros: latest('sms', true) ?? latest('sms', false) ?? settings.smsPriceMicros,
    mmsPriceMicros: latest('mms', true) ?? latest('mms', false) ?? settings.mmsPriceMicros,
  }
}

/** What has been charged stays as it is, so a price cannot begin in the past. */
export async function setPrice(tx: Transaction, price: Price, now: Date): Promise<void> {
  const { amountMicros, effectiveAt } = price
  if (effectiveAt < now) throw fieldRefusal('effectiveAt', 'must not be in the past')
  if (amountMicros !== null && (amountMicros < 0n || amountMicros > AMOUNT_MICROS_MAX)) {
    throw fieldRefusal('amount', 'must be an amount in dollars, 0 or more')
  }
  await upsertPrice(tx, price)
}

/** The prices of an account (null: everybody's), the latest first. */
export async function listOwnPrices(db: Queryable, accountId: AccountId | null): Promise<Price[]> {
  const prices = await listPrices(db, accountId ?? '*')
  return prices.filter((price) => price.accountId === accountId)
}
