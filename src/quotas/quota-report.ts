// How much of each quota an account uses: the same numbers that refusals use.

import type { AccountId } from '../accounts/account.js'
import {
  applyQuotas,
  type OwnQuotas,
  QUOTA_NAMES,
  QUOTAS,
  type QuotaName,
} from '../accounts/quota.js'
import { findOwnQuotas } from '../accounts/quota-queries.js'
import type { Config } from '../kit/config.js'
import type { Queryable } from '../kit/postgres/db.js'
import { findMediaTotals } from '../messages/media-totals-queries.js'
import { findMessageTotals } from '../messages/stored-queries.js'
import { countWebhooks } from '../webhooks/webhook-queries.js'

export interface QuotaUse {
  name: QuotaName
  unit: (typeof QUOTAS)[QuotaName]['unit']
  /** Null: not counted yet. */
  used: number | null
  /** Null: no limit. */
  limit: number | null
  /** What requests above the limit are refused with. */
  code: (typeof QUOTAS)[QuotaName]['code']
}

export interface QuotaReport {
  own: OwnQuotas
  uses: QuotaUse[]
}

export async function reportQuotas(
  db: Queryable,
  { quotas }: Pick<Config, 'quotas'>,
  accountId: AccountId,
): Promise<QuotaReport> {
  const own = await findOwnQuotas(db, accountId)
  const limits = applyQuotas(own, quotas)
  const used = await findUsed(db, accountId)
  const uses = QUOTA_NAMES.map((name) => ({
    name,
    unit: QUOTAS[name].unit,
    used: used[name],
    limit: limits[name] === 0 ? null : limits[name],
    code: QUOTAS[name].code,
  }))
  return { own, uses }
}

async function findUsed(
  db: Queryable,
  accountId: AccountId,
): Promise<Record<QuotaName, number | null>> {
  const { queued, stored } = await findMessageTotals(db, accountId)
  const { bytes } = await findMediaTotals(db, accountId)
  const webhooks = await countWebhooks(db, accountId)
  return { queuedMessages: queued, storedMessages: stored, mediaBytes: bytes, webhooks }
}
