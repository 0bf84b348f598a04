// The webhooks that were notified of a message, and their responses.

import { queryOptions } from '@tanstack/react-query'
import type { Delivery, Message, Webhook } from '../../../generated/types.gen'
import { request } from '../../api/request'
import type { Tone } from '../../ui/display/states'

/** A message has no more events than this. */
const LISTED = 20
const WEBHOOKS_MAX = 5
/** How long to poll for a response. */
const AGAIN_MS = 1_500
const AGAIN_TIMES = 5

export interface Notification {
  deliveryId: string
  webhookId: string
  at: string
  eventType: string
  webhook: string
  outcome: string
  tone: Tone
  isOpen: boolean
}

export function notificationsQuery({ id, campaignId }: Pick<Message, 'id' | 'campaignId'>) {
  return queryOptions({
    queryKey: ['messages', 'told', id],
    queryFn: async ({ signal }): Promise<Notification[]> => {
      const { webhooks } = await request('GET /v1/campaign/{id}/webhooks', {
        path: { id: campaignId },
        signal,
      })
      const lists = await Promise.all(
        webhooks.slice(0, WEBHOOKS_MAX).map(async (webhook) => {
          const { deliveries } = await request('GET /v1/webhook/{id}/deliveries', {
            path: { id: webhook.id },
            query: { message: id, limit: LISTED },
            signal,
          })
          return deliveries.map((delivery) => toldOf(delivery, webhook))
        }),
      )
      return lists.flat().sort((a, b) => (a.at < b.at ? -1 : 1))
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.some(({ isOpen }) => isOpen) && dataUpdateCount < AGAIN_TIMES ? AGAIN_MS : false,
    retry: false,
  })
}

function toldOf(delivery: Delivery, { name, url }: Webhook): Notification {
  const { id, createdAt: at, eventType, state } = delivery
  const isFirstOpen = state === 'pending' && delivery.attempts.length === 0
  return {
    deliveryId: id,
    webhookId: delivery.webhookId,
    at,
    eventType,
    webhook: name ? `“${name}”` : hostOf(url),
    isOpen: isFirstOpen,
    ...outcomeOf(delivery),
  }
}

function outcomeOf({ state, attempts }: Delivery): { outcome: string; tone: Tone } {
  const last = attempts.at(-1)
  if (state === 'held') return { outcome: 'held: the webhook is disabled', tone: 'wait' }
  if (!last) return { outcome: 'in progress', tone: 'wait' }
  const words = last.error?.replace(/\.$/, '') ?? 'no response'
  const answer = last.responseCode === null ? words : `${last.responseCode}`
  if (state === 'delivered') return { outcome: `${answer} in ${last.durationMs} ms`, tone: 'ok' }
  return state === 'failed'
    ? { outcome: `${answer}, gave up`, tone: 'bad' }
    : { outcome: `${answer}, retrying`, tone: 'warn' }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
