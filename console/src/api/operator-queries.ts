// Queries of the operator pages. No live stream covers them, so changing data is polled.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  OperatorCountNumbersReply,
  OperatorGetAccountReply,
  OperatorGetBrandReply,
  OperatorGetCampaignReply,
  OperatorGetHealthReply,
  OperatorListAccountsReply,
  OperatorListAuditReply,
  OperatorListBrandsReply,
  OperatorListCampaignsReply,
  OperatorListCarriersReply,
  OperatorListOperatorTokensReply,
  OperatorListPricesReply,
  OperatorListProvidersReply,
  OperatorListTokensReply,
  OperatorListWebhooksOffReply,
  OperatorReviewQueueReply,
} from '../../generated/types.gen'
import { request } from './request'

const BASE = '/operator/v1'
const PAGE = 50
const REVIEWS_MS = 15_000
const HEALTH_MS = 5_000

/** They change with the service only. */
export const providersQuery = queryOptions({
  queryKey: ['operator', 'providers'],
  queryFn: ({ signal }) =>
    request<OperatorListProvidersReply>('GET', `${BASE}/carrier/providers`, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const reviewQueueQuery = queryOptions({
  queryKey: ['operator', 'reviews'],
  queryFn: ({ signal }) =>
    request<OperatorReviewQueueReply>('GET', `${BASE}/review/queue`, { signal }),
  refetchInterval: REVIEWS_MS,
})

export function reviewedBrandQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'brand', id],
    queryFn: ({ signal }) =>
      request<OperatorGetBrandReply>('GET', `${BASE}/brand/${id}`, { signal }),
  })
}

export function reviewedCampaignQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'campaign', id],
    queryFn: ({ signal }) =>
      request<OperatorGetCampaignReply>('GET', `${BASE}/campaign/${id}`, { signal }),
  })
}

export interface AccountFilter {
  search?: string
  status?: string
}

/** Newest first, page by page. */
export function operatedAccountsQuery(filter: AccountFilter) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'accounts', filter],
    queryFn: ({ pageParam, signal }) =>
      request<OperatorListAccountsReply>('GET', `${BASE}/account/list`, {
        query: { ...filter, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, accounts }) => (hasMore ? (accounts.at(-1)?.id ?? null) : null),
    placeholderData: (known) => known,
  })
}

export function operatedAccountQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account', id],
    queryFn: ({ signal }) =>
      request<OperatorGetAccountReply>('GET', `${BASE}/account/${id}`, { signal }),
  })
}

export function accountTokensQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account-tokens', id],
    queryFn: ({ signal }) =>
      request<OperatorListTokensReply>('GET', `${BASE}/account/${id}/token/list`, {
        query: { limit: 200 },
        signal,
      }),
  })
}

const RECORDS = 200

/** All brands and campaigns of an account, in any status. */
export function accountRecordsQuery(account: string) {
  const query = { account, status: 'ALL', limit: RECORDS }
  return queryOptions({
    queryKey: ['operator', 'account-records', account],
    queryFn: async ({ signal }) => {
      const [{ brands }, { campaigns }] = await Promise.all([
        request<OperatorListBrandsReply>('GET', `${BASE}/brand/list`, { query, signal }),
        request<OperatorListCampaignsReply>('GET', `${BASE}/campaign/list`, { query, signal }),
      ])
      return { brands, campaigns }
    },
  })
}

/** Prices of one account, or the default prices. */
export function pricesQuery(account: string | null) {
  return queryOptions({
    queryKey: ['operator', 'prices', account],
    queryFn: ({ signal }) =>
      request<OperatorListPricesReply>('GET', `${BASE}/price/list`, { query: { account }, signal }),
  })
}

export const healthQuery = queryOptions({
  queryKey: ['operator', 'health'],
  queryFn: ({ signal }) => request<OperatorGetHealthReply>('GET', `${BASE}/health`, { signal }),
  refetchInterval: HEALTH_MS,
})

export const carriersQuery = queryOptions({
  queryKey: ['operator', 'carriers'],
  queryFn: ({ signal }) =>
    request<OperatorListCarriersReply>('GET', `${BASE}/carrier/list`, { signal }),
  refetchInterval: HEALTH_MS,
})

export const stockQuery = queryOptions({
  queryKey: ['operator', 'stock'],
  queryFn: ({ signal }) =>
    request<OperatorCountNumbersReply>('GET', `${BASE}/number/count`, { signal }),
})

export function webhooksOffQuery(account: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'webhooks-off', account ?? null],
    queryFn: ({ pageParam, signal }) =>
      request<OperatorListWebhooksOffReply>('GET', `${BASE}/webhook/list`, {
        query: { account, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, webhooks }) => (hasMore ? (webhooks.at(-1)?.id ?? null) : null),
    placeholderData: (known) => known,
  })
}

export interface AuditFilter {
  act?: string
  actor?: string
  account?: string
  subject?: string
  since?: string
  until?: string
}

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'audit', filter],
    queryFn: ({ pageParam, signal }) =>
      request<OperatorListAuditReply>('GET', `${BASE}/audit/list`, {
        query: { ...filter, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, acts }) => (hasMore ? (acts.at(-1)?.id ?? null) : null),
    placeholderData: (known) => known,
  })
}

/** The latest audit entry of a record: shows who decided first. */
export async function findLastAct(subject: string) {
  const { acts } = await request<OperatorListAuditReply>('GET', `${BASE}/audit/list`, {
    query: { subject, limit: 1 },
  })
  return acts[0] ?? null
}

export const operatorTokensQuery = queryOptions({
  queryKey: ['operator', 'tokens'],
  queryFn: ({ signal }) =>
    request<OperatorListOperatorTokensReply>('GET', `${BASE}/token/list`, {
      query: { limit: 200 },
      signal,
    }),
})

/** A request to the operator API that changes something. */
export function operate<Reply>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options: { body?: unknown; query?: Record<string, string>; key: string },
): Promise<Reply> {
  const { key: idempotencyKey, ...rest } = options
  return request<Reply>(method, `${BASE}${path}`, { ...rest, idempotencyKey })
}
