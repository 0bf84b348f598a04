// The queue as one list, and which record comes next.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type {
  OperatorReviewQueueReply,
  WaitingBrand,
  WaitingCampaign,
} from '../../../../generated/types.gen'
import { reviewQueueQuery } from '../../../api/operator-queries'

export type QueueItem =
  | ({ kind: 'brand' } & WaitingBrand)
  | ({ kind: 'campaign' } & WaitingCampaign)

export function useQueue() {
  const query = useQuery(reviewQueueQuery)
  return { ...query, ...itemsOf(query.data) }
}

function itemsOf(reply: OperatorReviewQueueReply | undefined) {
  const brands = (reply?.brands.items ?? []).map((one): QueueItem => ({ kind: 'brand', ...one }))
  const campaigns = (reply?.campaigns.items ?? []).map(
    (one): QueueItem => ({ kind: 'campaign', ...one }),
  )
  return { brands, campaigns, items: [...brands, ...campaigns] }
}

/** A campaign waits for its brand. */
export function isDecidable(item: QueueItem): boolean {
  return item.kind === 'brand' || ['VERIFIED', 'VETTED'].includes(item.brandStatus)
}

/**
 * The record to open after a decision: the next that can be decided, otherwise the first. Refetched, because
 * verifying a brand makes its campaigns ready.
 */
export function useGoToNext(id: string): () => Promise<void> {
  const { items: before } = useQueue()
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    const reply = await client.fetchQuery({ ...reviewQueueQuery, staleTime: 0 }).catch(() => null)
    const open = (reply ? itemsOf(reply).items : []).filter(
      (item) => item.id !== id && isDecidable(item),
    )
    const place = before.findIndex((item) => item.id === id)
    const later = new Set(before.slice(place + 1).map((item) => item.id))
    const next = open.find((item) => later.has(item.id)) ?? open[0]
    if (!next) await navigate({ to: '/operator/reviews' })
    else await navigate({ to: `/operator/reviews/${next.kind}/$id`, params: { id: next.id } })
  }
}
