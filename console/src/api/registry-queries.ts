// Queries of the brand and campaign pages. Lists are read in full, including drafts: a returned campaign is a
// draft, and it is often the one people look for.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  Brand,
  Campaign,
  CheckCampaignReply,
  CreateCampaignBody,
  GetBrandReply,
  GetCampaignReply,
  GetLimitsReply,
  ListCampaignNumbersReply,
  ListCampaignWebhooksReply,
  ListedNumber,
  ListOptoutChangesReply,
  ListOptoutsReply,
  PreviewCampaignEndReply,
} from '../../generated/types.gen'
import { serviceNow } from '../lib/service-time'
import { request } from './request'

const PAGE = 1000
/** Lists stop here. The search notes it. */
const PAGES_MAX = 10

interface Walk {
  path: string
  name: string
  keyOf: string
  query?: Record<string, string>
  signal: AbortSignal
}

/** All records of a list, page by page. */
async function walk<T>({ path, name, keyOf, query, signal }: Walk): Promise<T[]> {
  const found: T[] = []
  let after: string | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const reply: Record<string, unknown> = await request('GET', path, {
      query: { ...query, limit: PAGE, after },
      signal,
    })
    const rows = reply[name] as (T & Record<string, string>)[]
    found.push(...rows)
    const last = rows.at(-1)
    if (reply.hasMore !== true || !last) break
    after = last[keyOf] ?? null
  }
  return found
}

export const allBrandsQuery = queryOptions({
  queryKey: ['brands', 'all'],
  queryFn: async ({ signal }) => {
    const list = { path: '/v1/brand/list', name: 'brands', keyOf: 'id', signal }
    const [drafts, submitted] = await Promise.all([
      walk<Brand>({ ...list, query: { status: 'DRAFT' } }),
      walk<Brand>(list),
    ])
    return [...drafts, ...submitted].sort(byId)
  },
})

export const allCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'all'],
  queryFn: async ({ signal }) => {
    const list = { path: '/v1/campaign/list', name: 'campaigns', keyOf: 'id', signal }
    const [drafts, submitted] = await Promise.all([
      walk<Campaign>({ ...list, query: { status: 'DRAFT' } }),
      walk<Campaign>(list),
    ])
    return [...drafts, ...submitted].sort(byId)
  },
})

export const allNumbersQuery = queryOptions({
  queryKey: ['numbers', 'all'],
  queryFn: ({ signal }) =>
    walk<ListedNumber>({
      path: '/v1/number/list',
      name: 'numbers',
      keyOf: 'phoneNumber',
      signal,
    }),
})

/** Newest first: ids begin with the creation time. */
function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? 1 : -1
}

export function brandQuery(id: string) {
  return queryOptions({
    queryKey: ['brands', 'one', id],
    queryFn: ({ signal }) => request<GetBrandReply>('GET', `/v1/brand/${id}`, { signal }),
  })
}

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: ({ signal }) => request<GetCampaignReply>('GET', `/v1/campaign/${id}`, { signal }),
  })
}

/** Refetches when usage leaves its window, since no live event reports that. */
export function limitsQuery(id: string) {
  return queryOptions({
    queryKey: ['limits', id],
    queryFn: ({ signal }) =>
      request<GetLimitsReply>('GET', `/v1/campaign/${id}/limits`, { signal }),
    refetchInterval: ({ state }) => {
      const moments = (state.data?.limits ?? [])
        .flatMap(({ resetsAt, waitingUntil }) => [resetsAt, waitingUntil])
        .flatMap((at) => (at ? [Date.parse(at) - serviceNow().getTime()] : []))
      if (moments.length === 0) return false
      return Math.min(Math.max(Math.min(...moments) + 500, 2_000), 3_600_000)
    },
  })
}

export function campaignNumbersQuery(id: string) {
  return queryOptions({
    queryKey: ['numbers', 'of', id],
    queryFn: ({ signal }) =>
      request<ListCampaignNumbersReply>('GET', `/v1/campaign/${id}/numbers`, { signal }),
  })
}

export function campaignWebhooksQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'of', id],
    queryFn: ({ signal }) =>
      request<ListCampaignWebhooksReply>('GET', `/v1/campaign/${id}/webhooks`, { signal }),
  })
}

export function checkQuery(body: Partial<CreateCampaignBody>) {
  return queryOptions({
    queryKey: ['campaign-check', body],
    queryFn: ({ signal }) =>
      request<CheckCampaignReply>('POST', '/v1/campaign/check', { body, signal }),
    retry: false,
  })
}

const OPTOUT_PAGE = 100

/** By number, page by page. */
export function optoutsQuery(campaignId: string) {
  return infiniteQueryOptions({
    queryKey: ['optouts', campaignId, 'list'],
    queryFn: ({ pageParam, signal }) =>
      request<ListOptoutsReply>('GET', `/v1/campaign/${campaignId}/optouts`, {
        query: { limit: OPTOUT_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, optouts }) =>
      hasMore ? (optouts.at(-1)?.recipient ?? null) : null,
  })
}

export function optoutChangesQuery(campaignId: string, recipient: string) {
  return queryOptions({
    queryKey: ['optouts', campaignId, 'one', recipient],
    queryFn: ({ signal }) =>
      request<ListOptoutChangesReply>(
        'GET',
        `/v1/campaign/${campaignId}/optouts/${recipient.replace(/\D/g, '')}`,
        { signal },
      ),
  })
}

export function endPreviewQuery(campaignId: string, moveNumbersTo: string) {
  return queryOptions({
    queryKey: ['campaigns', 'end', campaignId, moveNumbersTo],
    queryFn: ({ signal }) =>
      request<PreviewCampaignEndReply>('GET', `/v1/campaign/${campaignId}/end`, {
        query: { moveNumbersTo },
        signal,
      }),
    placeholderData: (known) => known,
  })
}
