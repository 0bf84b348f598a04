// Queries of the operator pages. No live stream covers them, so changing data is polled.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type QueryOf, request } from './request'

const PAGE = 50
const REVIEWS_MS = 15_000
const HEALTH_MS = 5_000

/** They change with the service only. */
export const providersQuery = queryOptions({
  queryKey: ['operator', 'providers'],
  queryFn: ({ signal }) => request('GET /operator/v1/carrier/providers', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const reviewQueueQuery = queryOptions({
  queryKey: ['operator', 'reviews'],
  queryFn: ({ signal }) => request('GET /operator/v1/review/queue', { signal }),
  refetchInterval: REVIEWS_MS,
})

export function reviewedBrandQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'brand', id],
    queryFn: ({ signal }) => request('GET /operator/v1/brand/{id}', { path: { id }, signal }),
  })
}

export function reviewedCampaignQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'campaign', id],
    queryFn: ({ signal }) => request('GET /operator/v1/campaign/{id}', { path: { id }, signal }),
  })
}

export type AccountSearch = Pick<QueryOf<'GET /operator/v1/account/list'>, 'search' | 'status'>

/** Newest first, page by page. */
export function operatedAccountsQuery(filter: AccountSearch) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'accounts', filter],
    queryFn: ({ pageParam, signal }) =>
      request('GET /operator/v1/account/list', {
        query: { ...filter, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, accounts }) => (hasMore ? (accounts.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

export type UserSearch = Pick<QueryOf<'GET /operator/v1/user/list'>, 'search'>

/** Newest first, page by page. */
export function usersQuery(filter: UserSearch) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'users', filter],
    queryFn: ({ pageParam: after, signal }) =>
      request('GET /operator/v1/user/list', { query: { ...filter, limit: PAGE, after }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, users }) => (hasMore ? (users.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

export function accountBrandingQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account', id, 'branding'],
    queryFn: ({ signal }) =>
      request('GET /operator/v1/account/{id}/branding', { path: { id }, signal }),
  })
}

export function accountQuotasQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account', id, 'quotas'],
    queryFn: ({ signal }) =>
      request('GET /operator/v1/account/{id}/quotas', { path: { id }, signal }),
  })
}

export function operatedAccountQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account', id],
    queryFn: ({ signal }) => request('GET /operator/v1/account/{id}', { path: { id }, signal }),
  })
}

export function accountTokensQuery(id: string) {
  return queryOptions({
    queryKey: ['operator', 'account-tokens', id],
    queryFn: ({ signal }) =>
      request('GET /operator/v1/account/{id}/token/list', {
        path: { id },
        query: { limit: 200 },
        signal,
      }),
  })
}

const RECORDS = 200

/** All brands and campaigns of an account, in any status. */
export function accountRecordsQuery(account: string) {
  const query = { account, status: 'ALL', limit: RECORDS } as const
  return queryOptions({
    queryKey: ['operator', 'account-records', account],
    queryFn: async ({ signal }) => {
      const [{ brands }, { campaigns }] = await Promise.all([
        request('GET /operator/v1/brand/list', { query, signal }),
        request('GET /operator/v1/campaign/list', { query, signal }),
      ])
      return { brands, campaigns }
    },
  })
}

/** Prices of one account, or the default prices. */
export function pricesQuery(account: string | null) {
  return queryOptions({
    queryKey: ['operator', 'prices', account],
    queryFn: ({ signal }) => request('GET /operator/v1/price/list', { query: { account }, signal }),
  })
}

export const healthQuery = queryOptions({
  queryKey: ['operator', 'health'],
  queryFn: ({ signal }) => request('GET /operator/v1/health', { signal }),
  refetchInterval: HEALTH_MS,
})

export const carriersQuery = queryOptions({
  queryKey: ['operator', 'carriers'],
  queryFn: ({ signal }) => request('GET /operator/v1/carrier/list', { signal }),
  refetchInterval: HEALTH_MS,
})

export const stockQuery = queryOptions({
  queryKey: ['operator', 'stock'],
  queryFn: ({ signal }) => request('GET /operator/v1/number/count', { signal }),
})

export function webhooksOffQuery(account: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'webhooks-off', account ?? null],
    queryFn: ({ pageParam, signal }) =>
      request('GET /operator/v1/webhook/list', {
        query: { account, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, webhooks }) => (hasMore ? (webhooks.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

export type AuditSearch = Omit<QueryOf<'GET /operator/v1/audit/list'>, 'limit' | 'after' | 'skip'>

export function auditQuery(filter: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'audit', filter],
    queryFn: ({ pageParam, signal }) =>
      request('GET /operator/v1/audit/list', {
        query: { ...filter, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, acts }) => (hasMore ? (acts.at(-1)?.id ?? null) : null),
    placeholderData: (previous) => previous,
  })
}

/** The latest audit entry of a record: shows who decided first. */
export async function findLastAct(subject: string) {
  const { acts } = await request('GET /operator/v1/audit/list', { query: { subject, limit: 1 } })
  return acts[0] ?? null
}

export const operatorTokensQuery = queryOptions({
  queryKey: ['operator', 'tokens'],
  queryFn: ({ signal }) =>
    request('GET /operator/v1/token/list', { query: { limit: 200 }, signal }),
})
