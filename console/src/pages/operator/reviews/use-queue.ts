// The queue as one list, and which record comes after this one.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WaitingBrand, WaitingCampaign } from '../../../../generated/types.gen'
import { reviewQueueQuery } from '../../../api/operator-queries'

export type QueueItem =
  | ({ kind: 'brand' } & WaitingBrand)
  | ({ kind: 'campaign' } & WaitingCampaign)

export function useQueue() {
  const query = useQuery(reviewQueueQuery)
  const brands = (query.data?.brands.items ?? []).map(
    (one): QueueItem => ({ kind: 'brand', ...one }),
  )
  const campaigns = (query.data?.campaigns.items ?? []).map(
    (one): QueueItem => ({ kind: 'campaign', ...one }),
  )
  return { ...query, brands, campaigns, items: [...brands, ...campaigns] }
}

/** A campaign waits for its brand. */
export function isDecidable(item: QueueItem): boolean {
  return item.kind === 'brand' || ['VERIFIED', 'VETTED'].includes(item.brandStatus)
}

/** Where to go once this record is decided: the next that can be, else the beginning of the queue. */
export function useGoToNext(id: string): () => void {
  const { items } = useQueue()
  const navigate = useNavigate()
  return () => {
    const place = items.findIndex((item) => item.id === id)
    const others = [...items.slice(place + 1), ...items.slice(0, Math.max(0, place))]
    const next = others.find(isDecidable)
    if (!next) void navigate({ to: '/operator/reviews' })
    else void navigate({ to: `/operator/reviews/${next.kind}/$id`, params: { id: next.id } })
  }
}
