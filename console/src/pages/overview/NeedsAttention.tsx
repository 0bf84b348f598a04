// What needs attention, most urgent first, or one line if nothing does.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type {
  ListedAlert,
  MessageStats,
  Notice,
  Quota,
  Webhook,
} from '../../../generated/types.gen'
import { alertsQuery, openAlertsQuery } from '../../api/alert-queries'
import { accountQuery, quotasQuery, statsQuery, webhooksQuery } from '../../api/queries'
import { alertsToShow, finishedIn, unreportedGroups } from '../../lib/attention'
import { CARRIER_NAMES } from '../../lib/carrier-names'
import { describeNear, nearLimit } from '../../lib/describe-quota'
import { formatCount } from '../../lib/format'
import { formatSince } from '../../lib/format-time'
import { serviceNow } from '../../lib/service-time'
import { needsAttention } from '../../lib/webhook-needs'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Skeleton } from '../../ui/layout/Page'
import { alertLink } from '../alerts/alert-link'

const ORDER = ['renewal_unpaid', 'low_balance', 'campaign_returned', 'brand_refused']

interface Line {
  text: string
  /** Where to fix it. */
  link?: LinkProps
  verb?: string
}

export function NeedsAttention() {
  const account = useQuery(accountQuery)
  const webhooks = useQuery(webhooksQuery)
  const open = useQuery(openAlertsQuery)
  const recent = useInfiniteQuery(alertsQuery).data?.pages[0]?.alerts
  const stats = useQuery(statsQuery('24h')).data?.stats
  const quotas = useQuery(quotasQuery)
  const error = account.error ?? webhooks.error ?? open.error ?? quotas.error
  if (error) return <ErrorNotice error={error} onRetry={() => void account.refetch()} />
  // A green line must not appear before everything is known.
  if (!account.data || !webhooks.data || !open.data || !quotas.data || !recent || !stats)
    return <Skeleton rows={1} />
  const notices = [...account.data.notices].sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  )
  const unwell = webhooks.data.webhooks.filter(needsAttention)
  const lines = [
    ...notices.map(noticeLine),
    ...alertsToShow(open.data.alerts, notices).map(alertLine),
    ...unreportedLines(stats, recent),
    ...unwell.map(webhookLine),
    ...nearLimit(quotas.data.quotas).map(quotaLine),
  ]
  if (lines.length === 0) {
    return (
      <p className="flex items-center gap-2 text-ink-2">
        <CircleCheck size={16} aria-hidden="true" className="text-ok-ink" />
        Nothing needs your attention.
      </p>
    )
  }
  return (
    <ul className="flex flex-col gap-2">
      {lines.map(({ text, link, verb }) => (
        <li key={text} className="flex items-start gap-2">
          <TriangleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-warn-ink" />
          <span className="min-w-0 wrap-anywhere">
            {text}{' '}
            {link ? (
              <Link
                {...link}
                className="font-medium whitespace-nowrap text-accent-ink underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
              >
                {verb}
              </Link>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  )
}

function quotaLine(quota: Quota): Line {
  return { text: describeNear(quota), link: { to: '/settings' }, verb: 'Show quotas' }
}

function alertLine(alert: ListedAlert): Line {
  const link = alertLink(alert)
  const since = formatSince(new Date(alert.since), serviceNow())
  const text = `${alert.whatHappened} Since ${since}.`
  return { text, ...(link && { link: link.to, verb: link.label }) }
}

function unreportedLines(stats: MessageStats, recent: readonly ListedAlert[]): Line[] {
  return unreportedGroups(stats.groups, recent, stats.from).map((group) => ({
    text: `${CARRIER_NAMES[group.key] ?? group.key}: ${(group.deliveryRate! * 100).toFixed(1)}% of ${formatCount(finishedIn(group))} finished messages were delivered in the last 24 hours.`,
    link: { to: '/messages', search: { status: 'FAILED' } },
    verb: 'View failed messages',
  }))
}

function noticeLine({ kind, text, campaignId, brandId }: Notice): Line {
  const line = { text: text.endsWith('.') ? text : `${text}.` }
  if (kind === 'brand_refused' && brandId) {
    return { ...line, link: { to: '/brands/$id/edit', params: { id: brandId } }, verb: 'Fix' }
  }
  if (kind === 'low_balance') return { ...line, link: { to: '/billing' }, verb: 'Go to billing' }
  if (!campaignId) return line
  const params = { id: campaignId }
  return kind === 'campaign_returned'
    ? { ...line, link: { to: '/campaigns/$id/edit', params }, verb: 'Fix' }
    : { ...line, link: { to: '/campaigns/$id', params }, verb: 'View campaign' }
}

function webhookLine({ id, name, url, enabled, disabledReason, failingSince }: Webhook): Line {
  const since = failingSince && formatSince(new Date(failingSince), serviceNow())
  const state = enabled ? `has been failing since ${since}` : `is disabled. ${disabledReason}`
  return {
    text: `Webhook “${name ?? url}” ${state}.`,
    link: { to: '/webhooks/$id', params: { id } },
    verb: enabled ? 'View deliveries' : 'View webhook',
  }
}
