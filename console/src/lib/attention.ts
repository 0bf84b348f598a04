// Which alerts the overview and the navigation show, and how good a delivery rate is. Pure.

import type { ListedAlert, MessageGroup, MessageOutcome, Notice } from '../../generated/types.gen'

/** As in the rules of the service: fewer messages say nothing about a rate. */
const FINISHED_MIN = 50
const RATE = { bad: 0.7, warn: 0.9 }

export const ALERT_TITLES: Record<ListedAlert['kind'], string> = {
  network_delivery: 'Low delivery rate of a carrier',
  campaign_delivery: 'Low delivery rate of a campaign',
  error_spike: 'Many messages fail with one error',
  webhook_failing: 'Failing webhook',
  balance_low: 'Balance running low',
  campaign_trouble: 'Campaign needs attention',
  number_trouble: 'Number cannot send',
  link_down: 'Carrier link down',
  link_delivery: 'Low delivery rate of a link',
}

/** Open alerts that no notice and no webhook line reports already. Muted ones are left out. */
export function alertsToShow(
  alerts: readonly ListedAlert[],
  notices: readonly Notice[],
): ListedAlert[] {
  const campaigns = new Set(notices.map(({ campaignId }) => campaignId))
  const isLow = notices.some(({ kind }) => kind === 'low_balance')
  return alerts.filter(({ kind, campaignId, clearedAt, muted }) => {
    if (clearedAt !== null || muted || kind === 'webhook_failing') return false
    if (kind === 'balance_low') return !isLow
    return kind !== 'campaign_trouble' || !campaigns.has(campaignId)
  })
}

export function finishedIn({ statuses }: Pick<MessageOutcome, 'statuses'>): number {
  return statuses.DELIVERED + statuses.READ + statuses.FAILED + statuses.EXPIRED
}

export function rateTone(rate: number): 'ok' | 'warn' | 'bad' {
  if (rate < RATE.bad) return 'bad'
  return rate < RATE.warn ? 'warn' : 'ok'
}

/** Carriers with a bad rate that no alert has reported in this time: the service checks a few seconds later. */
export function unreportedGroups(
  groups: readonly MessageGroup[],
  alerts: readonly ListedAlert[],
  since: string,
): MessageGroup[] {
  const isReported = (key: string) =>
    alerts.some(
      ({ kind, subject, clearedAt }) =>
        ((kind === 'network_delivery' && (subject === key || subject === 'all')) ||
          kind === 'campaign_delivery' ||
          kind === 'campaign_trouble') &&
        (clearedAt === null || clearedAt > since),
    )
  return groups.filter(
    ({ key, deliveryRate, ...outcome }) =>
      deliveryRate !== null &&
      rateTone(deliveryRate) === 'bad' &&
      finishedIn(outcome) >= FINISHED_MIN &&
      !isReported(key),
  )
}
