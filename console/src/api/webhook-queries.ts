// Queries of the webhook pages. Live events report that a webhook changed or an event occurred, but not how a
// delivery progresses. While a delivery waits for an attempt and the page is visible, it is polled every few
// seconds.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Delivery, ListWebhooksReply } from '../../generated/types.gen'
import { serviceNow } from '../lib/service-time'
import { request } from './request'

/** Deliveries per page of the list. The metrics are computed from them. */
export const DELIVERIES_PAGE = 100
const WEBHOOKS_PAGE = 100

const SOON_MS = 10_000
const READ_AGAIN_MS = { soon: 2_000, later: 10_000 }
/** No live event reports that a webhook starts failing or recovers. */
const HEALTH_MS = 10_000

/** Webhooks of one campaign, or of all, newest first. */
export function webhookListQuery(campaign: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', 'webhooks', campaign ?? null],
    queryFn: async ({ pageParam, signal }): Promise<ListWebhooksReply> => {
      if (!campaign) {
        const query = { limit: WEBHOOKS_PAGE, after: pageParam }
        return request('GET /v1/webhook/list', { query, signal })
      }
      const path = { id: campaign }
      const all = await request('GET /v1/campaign/{id}/webhooks', { path, signal })
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
    queryFn: ({ signal }) => request('GET /v1/webhook/{id}', { path: { id }, signal }),
    refetchInterval: HEALTH_MS,
  })
}

export type WebhookDeliveryState = Delivery['state']

/** Newest first, page by page. */
export function deliveriesQuery(webhookId: string, state: WebhookDeliveryState | undefined) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', 'list', webhookId, state ?? null],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/webhook/{id}/deliveries', {
        path: { id: webhookId },
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
      request('GET /v1/webhook/{id}/deliveries/{deliveryId}', {
        path: { id: webhookId, deliveryId: id },
        signal,
      }),
    refetchInterval: ({ state: { data } }) => readAgainMs(data ? [data.delivery] : []),
  })
}

/** What a recovery would send. `since` null: everything that is stored. */
export function recoveryQuery(webhookId: string, since: string | null) {
  return queryOptions({
    queryKey: ['deliveries', 'recovery', webhookId, since],
    queryFn: ({ signal }) =>
      request('GET /v1/webhook/{id}/recover', {
        path: { id: webhookId },
        query: { since },
        signal,
      }),
  })
}

/** False if nothing waits for an attempt. Never very late, because the sandbox clock can jump. */
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
