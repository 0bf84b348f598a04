// What messages and forwarded calls cost, and from when: prices of one account, else everybody's, else the settings. Kept
// for a few seconds, since every send asks.

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
  /** Null: everybody who has no price of their own. */
  accountId: AccountId | null
  /** An SMS costs this for each segment, an MMS and a forwarded call once. */
  kind: PriceKind
  /** Null: from then on, as if this account (or everybody) had none. */
  amountMicros: bigint | null
  effectiveAt: Date
}

export type Prices = Pick<Config, 'smsPriceMicros' | 'mmsPriceMicros' | 'callPriceMicros'>

export interface PriceBook {
  /** What the account pays now, where that is known already: most sends need no promise. */
  peek: (accountId: AccountId) => Prices | undefined
  get: (accountId: AccountId) => Promise<Prices>
}

const KEPT_MS = 3_000
const KEPT_MAX = 10_000

interface Known {
  prices: Prices
  /** When others begin. */
  nextMs: number
}

export function createPriceBook({ db, clock, config }: World): PriceBook {
  // Until the next price begins, if that is sooner.
  const known = new Cache<AccountId, Known>({
    max: KEPT_MAX,
    keptMs: ({ nextMs }) => Math.min(KEPT_MS, nextMs - clock.nowMs()),
    nowMs: () => clock.nowMs(),
  })
  const load = async (accountId: AccountId): Promise<Known> => {
    const list = await listPrices(db, accountId)
    const now = clock.now()
    const next = list.findLast(({ effectiveAt }) => effectiveAt > now)
    return {
      prices: pricesAt(list, config, now),
      nextMs: next?.effectiveAt.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }
  return {
    peek: (accountId) => known.peek(accountId)?.prices,
    get: async (accountId) => (await known.get(accountId, load)).prices,
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
    callPriceMicros: latest('call', true) ?? latest('call', false) ?? settings.callPriceMicros,
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
