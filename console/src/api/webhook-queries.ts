// What the webhook pages read. The stream tells that a webhook was changed and that an event has happened,
// but not how its delivery goes on: as long as something waits for an attempt, and the page is looked at, it
// is read again every few seconds.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  Delivery,
  GetDeliveryReply,
  GetWebhookReply,
  ListCampaignNumbersReply,
  ListCampaignWebhooksReply,
  ListDeliveriesReply,
  ListWebhooksReply,
  PreviewRecoveryReply,
} from '../../generated/types.gen'
import { serviceNow } from '../lib/service-time'
import { call } from './call'

/** How many deliveries a page of the list has, and the figures are made of. */
export const DELIVERIES_PAGE = 100
const WEBHOOKS_PAGE = 100

const SOON_MS = 10_000
const READ_AGAIN_MS = { soon: 2_000, later: 10_000 }
/** A webhook begins to fail, and works again, without an event. */
const HEALTH_MS = 10_000

/** Of one campaign, or of all; newest first. */
export function webhookListQuery(campaign: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', 'webhooks', campaign ?? null],
    queryFn: async ({ pageParam, signal }): Promise<ListWebhooksReply> => {
      if (!campaign) {
        const query = { limit: WEBHOOKS_PAGE, after: pageParam }
        return call<ListWebhooksReply>('GET', '/v1/webhook/list', { query, signal })
      }
      const path = `/v1/campaign/${campaign}/webhooks`
      const all = await call<ListCampaignWebhooksReply>('GET', path, { signal })
      return { ...all, hasMore: false }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ webhooks, hasMore }) => (hasMore ? (webhooks.at(-1)?.id ?? null) : null),
    refetchInterval: HEALTH_MS,
  })
}

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['deliveries', 'webhook', id],
    queryFn: ({ signal }) => call<GetWebhookReply>('GET', `/v1/webhook/${id}`, { signal }),
    refetchInterval: HEALTH_MS,
  })
}

export type DeliveryState = Delivery['state']

/** Newest first, page by page. */
export function deliveriesQuery(webhookId: string, state: DeliveryState | undefined) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', 'list', webhookId, state ?? null],
    queryFn: ({ pageParam, signal }) =>
      call<ListDeliveriesReply>('GET', `/v1/webhook/${webhookId}/deliveries`, {
        query: { state, limit: DELIVERIES_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ deliveries, hasMore }) =>
      hasMore ? (deliveries.at(-1)?.id ?? null) : null,
    refetchInterval: ({ state: { data } }) =>
      readAgainMs(data?.pages.flatMap(({ deliveries }) => deliveries) ?? []),
  })
}

export function deliveryQuery(webhookId: string, id: string) {
  return queryOptions({
    queryKey: ['deliveries', 'one', webhookId, id],
    queryFn: ({ signal }) =>
      call<GetDeliveryReply>('GET', `/v1/webhook/${webhookId}/deliveries/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => readAgainMs(data ? [data.delivery] : []),
  })
}

/** What a recovery would send; since null: all that is kept. */
export function recoveryQuery(webhookId: string, since: string | null) {
  return queryOptions({
    queryKey: ['deliveries', 'recovery', webhookId, since],
    queryFn: ({ signal }) =>
      call<PreviewRecoveryReply>('GET', `/v1/webhook/${webhookId}/recover`, {
        query: { since },
        signal,
      }),
  })
}

/** False where nothing waits for an attempt. The clock of the sandbox may be moved, so never very late. */
function readAgainMs(
  deliveries: readonly Pick<Delivery, 'state' | 'nextAttemptAt'>[],
): number | false {
  const waiting = deliveries.filter(({ state }) => state === 'pending')
  if (waiting.length === 0) return false
  const soon = serviceNow().getTime() + SOON_MS
  const isSoon = waiting.some(
    ({ nextAttemptAt }) => nextAttemptAt === null || Date.parse(nextAttemptAt) < soon,
  )
  return isSoon ? READ_AGAIN_MS.soon : READ_AGAIN_MS.later
}

export function campaignNumbersQuery(campaignId: string) {
  return queryOptions({
    queryKey: ['numbers', 'campaign', campaignId],
    queryFn: ({ signal }) =>
      call<ListCampaignNumbersReply>('GET', `/v1/campaign/${campaignId}/numbers`, { signal }),
    enabled: campaignId !== '',
  })
}
