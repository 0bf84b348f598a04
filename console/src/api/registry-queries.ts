// Queries of the brand and campaign pages. Lists include drafts: a returned campaign is a draft, and it is often the one
// people look for.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CreateCampaignBody } from '../../generated/types.gen'
import { serviceNow } from '../lib/service-time'
import { type QueryOf, request } from './request'

const PAGE = 1000
/** Lists stop here. The search notes it. */
const PAGES_MAX = 10

/** All records of a list, page by page. */
async function readAll<Row>(
  read: (page: { limit: number; after: string | null }) => Promise<[Row[], hasMore: boolean]>,
  keyOf: (row: Row) => string,
): Promise<Row[]> {
  const found: Row[] = []
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const last = found.at(-1)
    const [rows, hasMore] = await read({ limit: PAGE, after: last ? keyOf(last) : null })
    found.push(...rows)
    if (!hasMore) break
  }
  return found
}

const idOf = ({ id }: { id: string }) => id

export const allBrandsQuery = queryOptions({
  queryKey: ['brands', 'all'],
  queryFn: ({ signal }) =>
    readAll(async (page) => {
      const query = { ...page, status: 'ALL' } as const
      const { brands, hasMore } = await request('GET /v1/brand/list', { query, signal })
      return [brands, hasMore]
    }, idOf),
})

export const allCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'all'],
  queryFn: ({ signal }) =>
    readAll(async (page) => {
      const query = { ...page, status: 'ALL' } as const
      const { campaigns, hasMore } = await request('GET /v1/campaign/list', { query, signal })
      return [campaigns, hasMore]
    }, idOf),
})

export const allNumbersQuery = queryOptions({
  queryKey: ['numbers', 'all'],
  queryFn: ({ signal }) =>
    readAll(
      async (query) => {
        const { numbers, hasMore } = await request('GET /v1/number/list', { query, signal })
        return [numbers, hasMore]
      },
      ({ phoneNumber }) => phoneNumber,
    ),
})

export type BrandSearch = Pick<QueryOf<'GET /v1/brand/list'>, 'search' | 'status'>
export type CampaignSearch = Pick<QueryOf<'GET /v1/campaign/list'>, 'search' | 'status' | 'brand'>

/** A page of a list that people read and filter. */
const LIST_PAGE = 100

/** Newest first, page by page. Without a status, drafts are included. */
export function brandListQuery(filter: BrandSearch) {
  return infiniteQueryOptions({
    queryKey: ['brands', 'list', filter],
    queryFn: ({ pageParam: after, signal }) =>
      request('GET /v1/brand/list', {
        query: { status: 'ALL', ...filter, limit: LIST_PAGE, after },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, brands }) => (hasMore ? (brands.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

export function campaignListQuery(filter: CampaignSearch) {
  return infiniteQueryOptions({
    queryKey: ['campaigns', 'list', filter],
    queryFn: ({ pageParam: after, signal }) =>
      request('GET /v1/campaign/list', {
        query: { status: 'ALL', ...filter, limit: LIST_PAGE, after },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, campaigns }) => (hasMore ? (campaigns.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

export function brandQuery(id: string) {
  return queryOptions({
    queryKey: ['brands', 'one', id],
    queryFn: ({ signal }) => request('GET /v1/brand/{id}', { path: { id }, signal }),
  })
}

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: ['campaigns', 'one', id],
    queryFn: ({ signal }) => request('GET /v1/campaign/{id}', { path: { id }, signal }),
  })
}

/** Refetches when usage leaves its window, since no live event reports that. */
export function limitsQuery(id: string) {
  return queryOptions({
    queryKey: ['limits', id],
    queryFn: ({ signal }) => request('GET /v1/campaign/{id}/limits', { path: { id }, signal }),
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
    queryFn: ({ signal }) => request('GET /v1/campaign/{id}/numbers', { path: { id }, signal }),
  })
}

export function campaignWebhooksQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'of', id],
    queryFn: ({ signal }) => request('GET /v1/campaign/{id}/webhooks', { path: { id }, signal }),
  })
}

/** The body is incomplete while someone types. */
export function checkQuery(body: CreateCampaignBody) {
  return queryOptions({
    queryKey: ['campaign-check', body],
    queryFn: ({ signal }) => request('POST /v1/campaign/check', { body, signal }),
    retry: false,
  })
}

const OPTOUT_PAGE = 100

/** By number, page by page. */
export function optoutsQuery(campaignId: string) {
  return infiniteQueryOptions({
    queryKey: ['optouts', campaignId, 'list'],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/campaign/{id}/optouts', {
        path: { id: campaignId },
        query: { limit: OPTOUT_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, optouts }) =>
      hasMore ? (optouts.at(-1)?.recipient ?? null) : null,
  })
}

export function endPreviewQuery(campaignId: string, moveNumbersTo: string) {
  return queryOptions({
    queryKey: ['campaigns', 'end', campaignId, moveNumbersTo],
    queryFn: ({ signal }) =>
      request('GET /v1/campaign/{id}/end', {
        path: { id: campaignId },
        query: { moveNumbersTo },
        signal,
      }),
    placeholderData: (previous) => previous,
  })
}
