// Metrics of the endpoint: counts, response times, and attempts over time, with their time window.

import { useInfiniteQuery } from '@tanstack/react-query'
import { deliveriesQuery } from '../../api/webhook-queries'
import { figuresOf } from '../../lib/delivery-figures'
import { formatCount, plural } from '../../lib/format'
import { useServiceNow } from '../../lib/service-time'
import { Card } from '../../ui/layout/Page'
import { AttemptChart } from './AttemptChart'

export function Figures({ webhookId }: { webhookId: string }) {
  const { data } = useInfiniteQuery(deliveriesQuery(webhookId, undefined))
  const now = useServiceNow()
  const first = data?.pages[0]
  // The list below shows errors and the empty state.
  if (!first || first.deliveries.length === 0) return null
  const { window, counts, p50Ms, p95Ms, buckets } = figuresOf(first.deliveries, first.hasMore, now)
  const title =
    window.kind === 'day'
      ? 'Last 24 hours'
      : `Last ${plural(window.count, 'delivery', 'deliveries')}`
  const facts = [
    `${formatCount(counts.delivered)} delivered`,
    `${formatCount(counts.pending)} waiting or retrying`,
    `${formatCount(counts.failed)} failed`,
    ...(counts.held > 0 ? [`${formatCount(counts.held)} held`] : []),
    ...(p50Ms === null ? [] : [`response time p50 ${p50Ms} ms, p95 ${p95Ms} ms`]),
  ]
  return (
    <Card>
      <p className="mb-2">
        <span className="font-semibold">{title}:</span> {facts.join(' · ')}
      </p>
      {buckets.length > 0 ? <AttemptChart buckets={buckets} /> : null}
    </Card>
  )
}
