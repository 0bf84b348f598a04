// Reads what the rules need about one account, and applies them.

import type { AccountId } from '../accounts/account.js'
import { getAccount } from '../accounts/account-queries.js'
import { nameCampaigns } from '../campaigns/campaign-queries.js'
import { listTroubledCampaigns } from '../campaigns/trouble-queries.js'
import { DAY_MS } from '../kit/clock.js'
import type { Queryable } from '../kit/postgres/db.js'
import { findBalances } from '../ledger/balance-queries.js'
import type { ErrorCode } from '../messages/message-errors.js'
import { listOutcomes } from '../messages/usage/outcome-queries.js'
import { sumUsage } from '../messages/usage/usage-queries.js'
import { listTroubledNumbers } from '../numbers/trouble-queries.js'
import {
  type Alert,
  type AlertSettings,
  type FoundAlerts,
  keyOf,
  type OpenAlerts,
} from './alert.js'
import { findAlertSettings, listOpenAlerts } from './alert-queries.js'
import { findDeliveryTrouble } from './delivery-rules.js'
import type { CheckedAccount } from './record-alerts.js'
import {
  findFailingWebhooks,
  findLowBalance,
  findTroubledCampaigns,
  findTroubledNumbers,
  type WebhookState,
} from './state-rules.js'

const WEEK_MS = 7 * DAY_MS
/** Opt-outs, suspended campaigns, and cancellations: nothing that a carrier did. */
const NOT_FAILURES: ReadonlySet<number> = new Set<ErrorCode>([1330, 1340, 1410])

export type ListWebhooks = (db: Queryable, accountId: AccountId) => Promise<WebhookState[]>

export async function checkAccount(
  db: Queryable,
  listWebhooks: ListWebhooks,
  accountId: AccountId,
  now: Date,
): Promise<CheckedAccount> {
  const settings = await findAlertSettings(db, accountId)
  const open = byKey(await listOpenAlerts(db, accountId))
  const campaigns = findTroubledCampaigns(await listTroubledCampaigns(db, accountId))
  const stopped = new Set(campaigns.map(({ subject }) => subject))
  const deliveries = await checkDeliveries(db, accountId, { open, stopped, now })
  const findings = [
    ...deliveries.findings,
    ...campaigns,
    // The campaign explains its numbers.
    ...findTroubledNumbers(await listTroubledNumbers(db, accountId), now).filter(
      ({ campaignId }) => !stopped.has(campaignId ?? ''),
    ),
    ...findFailingWebhooks(await listWebhooks(db, accountId), now),
    ...(await checkBalance(db, accountId, { settings, open, now })),
  ]
  return { found: { findings, kept: deliveries.kept }, open, settings }
}

export function byKey(alerts: readonly Alert[]): OpenAlerts {
  return new Map(alerts.map((alert) => [keyOf(alert), alert]))
}

/** A campaign that cannot send has its own alert, which explains its failures. */
async function checkDeliveries(
  db: Queryable,
  accountId: AccountId,
  { open, stopped, now }: { open: OpenAlerts; stopped: ReadonlySet<string>; now: Date },
): Promise<FoundAlerts> {
  const rows = (await listOutcomes(db, accountId, now)).filter(
    ({ campaignId, errorCode }) => !stopped.has(campaignId) && !NOT_FAILURES.has(errorCode),
  )
  const failing = rows.filter(({ errorCode, day }) => errorCode !== 0 && day > 0)
  const ids = [...new Set(failing.map(({ campaignId }) => campaignId))]
  const names = ids.length === 0 ? new Map() : await nameCampaigns(db, accountId, ids)
  const nameOf = (campaignId: string) => names.get(campaignId) ?? campaignId
  return findDeliveryTrouble({ rows, open, nameOf, now })
}

async function checkBalance(
  db: Queryable,
  accountId: AccountId,
  { settings, open, now }: { settings: AlertSettings; open: OpenAlerts; now: Date },
) {
  const usage = await sumUsage(db, accountId, new Date(now.getTime() - WEEK_MS), now)
  const weekCostMicros = usage.reduce((all, { costMicros }) => all + costMicros, 0n)
  if (weekCostMicros === 0n) return []
  const balance = (await findBalances(db, [accountId])).get(accountId) ?? 0n
  const { createdAt } = await getAccount(db, accountId)
  const state = { balanceMicros: balance, weekCostMicros, createdAt, daysMin: settings.balanceDays }
  return findLowBalance(state, open, now)
}
