// The quotas of each account, cached for a few seconds, because every send needs them.

import { Cache } from '../kit/cache.js'
import type { World } from '../kit/world.js'
import type { AccountId } from './account.js'
import type { Quotas } from './quota.js'
import { findQuotas } from './quota-queries.js'

export interface QuotaBook {
  /** If cached: most sends need no promise. */
  peek: (accountId: AccountId) => Quotas | undefined
  get: (accountId: AccountId) => Promise<Quotas>
}

const KEPT_MS = 3_000
const KEPT_MAX = 10_000

export function createQuotaBook({ db, config }: Pick<World, 'db' | 'config'>): QuotaBook {
  const cache = new Cache<AccountId, Quotas>({ max: KEPT_MAX, keptMs: KEPT_MS })
  const load = (accountId: AccountId) => findQuotas(db, accountId, config.quotas)
  return {
    peek: (accountId) => cache.peek(accountId),
    get: (accountId) => cache.get(accountId, load),
  }
}
