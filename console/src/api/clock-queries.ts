// Where the sandbox clock can jump to, and what a jump triggered, as far as the API reports it.

import { queryOptions } from '@tanstack/react-query'
import type { Delivery, LedgerEntry, Message } from '../../generated/types.gen'
import { request } from './request'

const LOOKED_AT = 100
const WEBHOOKS_MAX = 5

export interface Moments {
  scheduled: string | null
  retry: string | null
  reset: string | null
  renewal: string | null
}

/** Read on demand: what comes next changes with every message. */
export const momentsQuery = queryOptions({
  queryKey: ['clock', 'moments'],
  queryFn: async (): Promise<Moments> => {
    const [{ messages }, { campaigns }, deliveries] = await Promise.all([
      request('GET /v1/message/search', { query: { status: 'SCHEDULED', limit: LOOKED_AT } }),
      request('GET /v1/campaign/list', { query: { limit: LOOKED_AT } }),
      listDeliveries('pending'),
    ])
    const active = campaigns.filter(({ status }) => status === 'ACTIVE')
    return {
      scheduled: earliest(messages.map(({ scheduledAt }) => scheduledAt)),
      retry: earliest(deliveries.map(({ nextAttemptAt }) => nextAttemptAt)),
      reset: active[0] ? await capReset(active[0].id) : null,
      renewal: earliest(active.map(({ renewsAt }) => renewsAt)),
    }
  },
  staleTime: 0,
})

async function listDeliveries(state?: Delivery['state']): Promise<Delivery[]> {
  const { webhooks } = await request('GET /v1/webhook/list', { query: { limit: LOOKED_AT } })
  const lists = await Promise.all(
    webhooks.slice(0, WEBHOOKS_MAX).map(({ id }) =>
      request('GET /v1/webhook/{id}/deliveries', {
        path: { id },
        query: { state, limit: LOOKED_AT },
      }),
    ),
  )
  return lists.flatMap(({ deliveries }) => deliveries)
}

async function capReset(campaignId: string): Promise<string | null> {
  const { limits } = await request('GET /v1/campaign/{id}/limits', { path: { id: campaignId } })
  return limits.find(({ name }) => name === 'dailyTmoCap')?.resetsAt ?? null
}

function earliest(moments: readonly (string | null)[]): string | null {
  return moments.filter((moment) => moment !== null).sort()[0] ?? null
}

/** A message that moving the clock can have sent or ended. */
export interface SentOrExpired {
  id: string
  kind: 'scheduled' | 'expired'
}

const SENT: ReadonlySet<string> = new Set(['SENT', 'DELIVERED', 'READ'])

export function asSentOrExpired({
  id,
  status,
  scheduledAt,
}: Pick<Message, 'id' | 'status' | 'scheduledAt'>): SentOrExpired | null {
  if (status === 'EXPIRED') return { id, kind: 'expired' }
  return scheduledAt && SENT.has(status) ? { id, kind: 'scheduled' } : null
}

export interface Aftermath {
  /** Scheduled messages that were sent, among the newest. */
  messages: readonly SentOrExpired[]
  renewals: readonly LedgerEntry[]
  /** Attempts beyond the first. */
  retries: number
  webhookId: string | null
}

const AGAIN_MS = 1_500
const AGAIN_TIMES = 8
const RENEWALS = ['campaign_renewal', 'number_renewal'] as const

/** Scheduled messages, renewals, and retries since a given time. Polled a few times, because they take a while to happen. */
export function aftermathQuery(since: string) {
  return queryOptions({
    queryKey: ['clock', 'aftermath', since],
    queryFn: async (): Promise<Aftermath> => {
      const [{ messages }, lists, deliveries] = await Promise.all([
        request('GET /v1/message/search', { query: { direction: 'OUTBOUND', limit: LOOKED_AT } }),
        Promise.all(
          RENEWALS.map((reason) =>
            request('GET /v1/account/ledger', { query: { reason, since, limit: LOOKED_AT } })
              // A token that cannot read the ledger still sees the rest.
              .catch(() => ({ entries: [] })),
          ),
        ),
        listDeliveries(),
      ])
      const again = deliveries.flatMap(({ webhookId, attempts }) =>
        attempts.filter(({ attempt, at }) => attempt > 1 && at >= since).map(() => webhookId),
      )
      return {
        messages: messages
          .filter(({ scheduledAt }) => scheduledAt && scheduledAt > since)
          .flatMap((message) => asSentOrExpired(message) ?? []),
        renewals: lists.flatMap(({ entries }) => entries),
        retries: again.length,
        webhookId: again[0] ?? null,
      }
    },
    refetchInterval: ({ state }) => (state.dataUpdateCount < AGAIN_TIMES ? AGAIN_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
