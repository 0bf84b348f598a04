// Alerts about webhooks, the balance, campaigns, and numbers. Pure.

import { DAY_MS, MINUTE_MS } from '../kit/clock.js'
import { formatDollars } from '../kit/money.js'
import { plural } from '../text/plural.js'
import { type AlertFinding, keyOf, type OpenAlerts } from './alert.js'

/** A single failed delivery is retried soon, and is no alert. */
const FAILING_MS = 5 * MINUTE_MS
/** Less than this in a week says nothing about the pace. */
const WEEK_COST_MIN = 1_000_000n
const WEEK_DAYS = 7
/** A number that a provider still prepares after this long needs attention. */
const PENDING_MS = DAY_MS

export interface WebhookState {
  id: string
  name: string | null
  url: string
  campaignId: string
  isEnabled: boolean
  /** Whether its owner disabled it, which needs no alert. */
  isDisabledByOwner: boolean
  disabledReason: string | null
  failingSince: Date | null
  updatedAt: Date
}

/** Webhooks of one server fail together, so they are one alert. */
export function findFailingWebhooks(webhooks: readonly WebhookState[], now: Date): AlertFinding[] {
  const byOrigin = new Map<string, WebhookState[]>()
  for (const webhook of webhooks) {
    const isDown = webhook.isEnabled
      ? webhook.failingSince !== null &&
        now.getTime() - webhook.failingSince.getTime() >= FAILING_MS
      : !webhook.isDisabledByOwner
    if (!isDown) continue
    const origin = URL.canParse(webhook.url) ? new URL(webhook.url).origin : webhook.url
    byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), webhook])
  }
  return [...byOrigin].map(([origin, group]) => webhookFinding(origin, group))
}

function webhookFinding(origin: string, group: readonly WebhookState[]): AlertFinding {
  const since = group.map(({ failingSince, updatedAt }) => failingSince ?? updatedAt)
  const disabled = group.find(({ isEnabled }) => !isEnabled)
  const [only] = group
  const who =
    group.length === 1 ? `Webhook ${only!.name ?? origin}` : plural(group.length, 'webhook')
  const state = disabled
    ? `${group.length === 1 ? 'is' : 'are failing, and at least one is'} disabled. ${disabled.disabledReason ?? 'Every delivery failed'}.`
    : `${group.length === 1 ? 'is' : 'are'} failing: no delivery to ${origin} succeeds.`
  return {
    kind: 'webhook_failing',
    subject: origin,
    campaignId: group.length === 1 ? only!.campaignId : null,
    since: new Date(Math.min(...since.map((time) => time.getTime()))),
    whatHappened: `${who} ${state}`,
    whatToDo: disabled
      ? 'Fix the endpoint, enable the webhook, and recover the deliveries that were paused.'
      : 'Check the endpoint and its responses in the list of deliveries. The service retries for 5 days, then disables the webhook.',
    figures: {},
  }
}

export interface BalanceState {
  balanceMicros: bigint
  /** What messages cost in the last seven days. */
  weekCostMicros: bigint
  /** An account younger than a week is averaged over its age. */
  createdAt: Date
  /** An alert is raised below this. */
  daysMin: number
}

/** The same pace as the forecast on the billing page, without renewals. */
export function findLowBalance(
  { balanceMicros, weekCostMicros, createdAt, daysMin }: BalanceState,
  open: OpenAlerts,
  now: Date,
): AlertFinding[] {
  if (weekCostMicros < WEEK_COST_MIN) return []
  const ageDays = (now.getTime() - createdAt.getTime()) / DAY_MS
  const perDay = Number(weekCostMicros) / Math.min(WEEK_DAYS, Math.max(1, ageDays))
  const days = Math.max(0, Number(balanceMicros) / perDay)
  const alert = open.get(keyOf({ kind: 'balance_low', subject: 'balance' }))
  // One day more clears it, so a refund does not.
  if (days >= daysMin + (alert ? 1 : 0)) return []
  const pace = formatDollars(BigInt(Math.round(perDay / 10_000)) * 10_000n)
  const rest = formatDollars((balanceMicros / 10_000n) * 10_000n)
  return [
    {
      kind: 'balance_low',
      subject: 'balance',
      campaignId: null,
      since: alert?.since ?? now,
      whatHappened: `The balance of ${rest} lasts about ${describeDays(days)} at ${pace} per day.`,
      whatToDo: 'Add money before it is used up. Without money, sends are refused.',
      figures: { days: Math.round(days * 10) / 10 },
    },
  ]
}

function describeDays(days: number): string {
  if (days < 1) return plural(Math.round(days * 24), 'hour')
  return plural(Math.round(days), 'day')
}

export interface CampaignState {
  id: string
  displayName: string
  status: string
  suspendedFor: string | null
  updatedAt: Date
}

const SUSPENSIONS: Readonly<Record<string, string>> = {
  renewal: 'Its renewal is unpaid. Add money, and it resumes automatically.',
  registry: 'The Campaign Registry or a carrier suspended it. Contact support.',
  operator: 'The operator suspended it. Contact support.',
}

/** Suspended campaigns, and those that a reviewer returned. */
export function findTroubledCampaigns(campaigns: readonly CampaignState[]): AlertFinding[] {
  return campaigns.map(({ id, displayName, status, suspendedFor, updatedAt }) => {
    const isSuspended = status === 'SUSPENDED'
    return {
      kind: 'campaign_trouble',
      subject: id,
      campaignId: id,
      since: updatedAt,
      whatHappened: isSuspended
        ? `Campaign ${displayName} is suspended and cannot send.`
        : `Campaign ${displayName} was returned by the reviewer.`,
      whatToDo: isSuspended
        ? (SUSPENSIONS[suspendedFor ?? ''] ?? 'Contact support.')
        : 'Make the changes in the notes and resubmit it at no extra cost.',
      figures: {},
    }
  })
}

export interface NumberState {
  phoneNumber: string
  campaignId: string
  status: string
  statusReason: string | null
  /** Since when a carrier refuses messages from it. */
  refusedAt: Date | null
  purchasedAt: Date
}

export function findTroubledNumbers(numbers: readonly NumberState[], now: Date): AlertFinding[] {
  return numbers.flatMap((number) => {
    const trouble = numberTrouble(number, now)
    if (trouble === null) return []
    const { phoneNumber, campaignId, refusedAt, purchasedAt } = number
    const about = { subject: phoneNumber, campaignId, since: refusedAt ?? purchasedAt, figures: {} }
    return [{ kind: 'number_trouble' as const, ...about, ...trouble }]
  })
}

function numberTrouble(
  { phoneNumber, status, statusReason, refusedAt, purchasedAt }: NumberState,
  now: Date,
) {
  const reason = statusReason === null ? '' : ` ${statusReason}`
  if (status === 'FAILED') {
    return {
      whatHappened: `Number ${phoneNumber} could not be set up.${reason}`,
      whatToDo: 'Release it and buy another number, or contact support.',
    }
  }
  if (refusedAt !== null) {
    return {
      whatHappened: `A carrier does not accept messages from ${phoneNumber}.`,
      whatToDo: 'Send from another number of the campaign, or contact support.',
    }
  }
  if (status !== 'PENDING' || now.getTime() - purchasedAt.getTime() < PENDING_MS) return null
  return {
    whatHappened: `Number ${phoneNumber} is still not ready, more than a day after the purchase.${reason}`,
    whatToDo: 'Contact support, or release it and buy another number.',
  }
}
