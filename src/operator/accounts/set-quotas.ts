// An operator's own quotas for an account. Every change is in the audit log.

import type { AccountId } from '../../accounts/account.js'
import { getAccount, lockAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { OwnQuotas } from '../../accounts/quota.js'
import { findOwnQuotas, updateOwnQuotas } from '../../accounts/quota-queries.js'
import type { Config } from '../../kit/config.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { type QuotaUse, reportQuotas } from '../../quotas/quota-report.js'
import { actOn, refuseDeleted } from './manage-accounts.js'

export interface OperatedQuota extends QuotaUse {
  /** Null: the installation's. 0: no limit. */
  ownLimit: number | null
  /** Of the installation. Null: no limit. */
  defaultLimit: number | null
}

type Settings = Pick<Config, 'quotas'>

export async function getOperatedQuotas(
  db: Queryable,
  { quotas }: Settings,
  accountId: AccountId,
): Promise<OperatedQuota[]> {
  await getAccount(db, accountId)
  const { own, uses } = await reportQuotas(db, { quotas }, accountId)
  return uses.map((use) => ({
    ...use,
    ownLimit: own[use.name],
    defaultLimit: quotas[use.name] === 0 ? null : quotas[use.name],
  }))
}

/** Quotas that are omitted do not change. */
export async function changeQuotas(
  tx: Transaction,
  settings: Settings,
  actor: Actor,
  accountId: AccountId,
  changes: Partial<OwnQuotas>,
  now: Date,
): Promise<OperatedQuota[]> {
  refuseDeleted(await lockAccount(tx, accountId))
  const before = await findOwnQuotas(tx, accountId)
  const after = { ...before, ...changes }
  await updateOwnQuotas(tx, accountId, after)
  const act = actOn('account.quotas', { accountId })
  await recordAct(tx, actor, { ...act, before, after }, now)
  return getOperatedQuotas(tx, settings, accountId)
}
