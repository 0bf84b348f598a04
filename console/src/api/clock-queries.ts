// What the clock of the sandbox can be moved to, and what came of a move: as far as the API can tell.

import { queryOptions } from '@tanstack/react-query'
import type {
  Delivery,
  GetLimitsReply,
  LedgerEntry,
  ListCampaignsReply,
  ListDeliveriesReply,
  ListLedgerReply,
  ListWebhooksReply,
  SearchMessagesReply,
} from '../../generated/types.gen'
import { call } from './call'

const LOOKED_AT = 100
const WEBHOOKS_MAX = 5

export interface Moments {
  scheduled: string | null
  retry: string | null
  reset: string | null
  renewal: string | null
}

/** Read when somebody asks: what comes next changes with every message. */
export const momentsQuery = queryOptions({
  queryKey: ['clock', 'moments'],
  queryFn: async (): Promise<Moments> => {
    const [{ messages }, { campaigns }, deliveries] = await Promise.all([
      call<SearchMessagesReply>('GET', '/v1/message/search', {
        query: { status: 'SCHEDULED', limit: LOOKED_AT },
      }),
      call<ListCampaignsReply>('GET', '/v1/campaign/list', { query: { limit: LOOKED_AT } }),
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
  const { webhooks } = await call<ListWebhooksReply>('GET', '/v1/webhook/list', {
    query: { limit: LOOKED_AT },
  })
  const lists = await Promise.all(
    webhooks.slice(0, WEBHOOKS_MAX).map(({ id }) =>
      call<ListDeliveriesReply>('GET', `/v1/webhook/${id}/deliveries`, {
        query: { state, limit: LOOKED_AT },
      }),
    ),
  )
  return lists.flatMap(({ deliveries }) => deliveries)
}

async function capReset(campaignId: string): Promise<string | null> {
  const { limits } = await call<GetLimitsReply>('GET', `/v1/campaign/${campaignId}/limits`)
  return limits.find(({ name }) => name === 'dailyTmoCap')?.resetsAt ?? null
}

function earliest(moments: readonly (string | null)[]): string | null {
  return moments.filter((moment) => moment !== null).sort()[0] ?? null
}

export interface Aftermath {
  renewals: readonly LedgerEntry[]
  /** Attempts beyond the first. */
  retries: number
  webhookId: string | null
}

const AGAIN_MS = 1_500
const AGAIN_TIMES = 8
const RENEWALS = ['campaign_renewal', 'number_renewal']

/** What was renewed and tried again since a moment; read a few times, for it takes a while to happen. */
export function aftermathQuery(since: string) {
  return queryOptions({
    queryKey: ['clock', 'aftermath', since],
    queryFn: async (): Promise<Aftermath> => {
      const [lists, deliveries] = await Promise.all([
        Promise.all(
          RENEWALS.map((reason) =>
            call<ListLedgerReply>('GET', '/v1/account/ledger', {
              query: { reason, since, limit: LOOKED_AT },
              // Whoever may not read the ledger is told the rest.
            }).catch(() => ({ entries: [] })),
          ),
        ),
        listDeliveries(),
      ])
      const again = deliveries.flatMap(({ webhookId, attempts }) =>
        attempts.filter(({ attempt, at }) => attempt > 1 && at >= since).map(() => webhookId),
      )
      return {
        renewals: lists.flatMap(({ entries }) => entries),
        retries: again.length,
        webhookId: again[0] ?? null,
      }
    },
    refetchInterval: ({ state }) => (state.dataUpdateCount < AGAIN_TIMES ? AGAIN_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
