// Prices of messages and forwarded calls, and when they start: the account's prices, otherwise the general
// ones, otherwise the settings. Cached for a few seconds, because every send needs them.

import type { AccountId } from '../accounts/account.js'
import { Cache } from '../kit/cache.js'
import type { Config } from '../kit/config.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { AMOUNT_MICROS_MAX } from './amount.js'
import { listPrices, upsertPrice } from './price-queries.js'

export const PRICE_KINDS = ['sms', 'mms', 'call'] as const
export type PriceKind = (typeof PRICE_KINDS)[number]

export interface Price {
  /** Null: every account without its own price. */
  accountId: AccountId | null
  /** An SMS costs this per segment; an MMS and a forwarded call cost it once. */
  kind: PriceKind
  /** Null: from then on, the account (or everyone) has no custom price. */
  amountMicros: bigint | null
  effectiveAt: Date
}

export type Prices = Pick<Config, 'smsPriceMicros' | 'mmsPriceMicros' | 'callPriceMicros'>

export interface PriceBook {
  /** The account's current price if cached: most sends need no promise. */
  peek: (accountId: AccountId) => Prices | undefined
  get: (accountId: AccountId) => Promise<Prices>
}

const KEPT_MS = 3_000
const KEPT_MAX = 10_000

interface CachedPrices {
  prices: Prices
  /** When the next prices start. */
  nextMs: number
}

export function createPriceBook({ db, clock, config }: World): PriceBook {
  // Until the next price starts, if that is sooner.
  const cache = new Cache<AccountId, CachedPrices>({
    max: KEPT_MAX,
    keptMs: ({ nextMs }) => Math.min(KEPT_MS, nextMs - clock.nowMs()),
    nowMs: () => clock.nowMs(),
  })
  const load = async (accountId: AccountId): Promise<CachedPrices> => {
    const list = await listPrices(db, accountId)
    const now = clock.now()
    const next = list.findLast(({ effectiveAt }) => effectiveAt > now)
    return {
      prices: pricesAt(list, config, now),
      nextMs: next?.effectiveAt.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }
  return {
    peek: (accountId) => cache.peek(accountId)?.prices,
    get: async (accountId) => (await cache.get(accountId, load)).prices,
  }
}

/** The list is latest first, as `listPrices` returns it. */
export function pricesAt(list: readonly Price[], settings: Prices, now: Date): Prices {
  const begun = list.filter(({ effectiveAt }) => effectiveAt <= now)
  const latest = (kind: PriceKind, isOwn: boolean): bigint | null =>
    begun.find((price) => price.kind === kind && (price.accountId !== null) === isOwn)
      ?.amountMicros ?? null
  return {
    smsPriceMicros: latest('sms', true) ?? latest('sms', false) ?? settings.smsPriceMicros,
    mmsPriceMicros: latest('mms', true) ?? latest('mms', false) ?? settings.mmsPriceMicros,
    callPriceMicros: latest('call', true) ?? latest('call', false) ?? settings.callPriceMicros,
  }
}

/** Past charges never change, so a price cannot start in the past. */
export async function setPrice(tx: Transaction, price: Price, now: Date): Promise<void> {
  const { amountMicros, effectiveAt } = price
  if (effectiveAt < now) throw fieldRefusal('effectiveAt', 'must not be in the past')
  if (amountMicros !== null && (amountMicros < 0n || amountMicros > AMOUNT_MICROS_MAX)) {
    throw fieldRefusal('amount', 'must be an amount in dollars, 0 or more')
  }
  await upsertPrice(tx, price)
}

/** The prices of an account (null: general prices), latest first. */
export async function listOwnPrices(db: Queryable, accountId: AccountId | null): Promise<Price[]> {
  const prices = await listPrices(db, accountId ?? '*')
  return prices.filter((price) => price.accountId === accountId)
}
