// Queries of alerts. The live stream refreshes them, except for the last values of an open alert.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from './request'

const PAGE = 50
const VALUES_MS = 60_000

/** Open and past alerts, newest first. The overview reads the first page. */
export const alertsQuery = infiniteQueryOptions({
  queryKey: ['alerts', 'list'],
  queryFn: ({ pageParam, signal }) =>
    request('GET /v1/alert/list', { query: { limit: PAGE, after: pageParam }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ hasMore, alerts }) => (hasMore ? (alerts.at(-1)?.id ?? null) : null),
  refetchInterval: VALUES_MS,
})

/** All that are open: one account has at most 100. */
export const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  queryFn: ({ signal }) =>
    request('GET /v1/alert/list', { query: { state: 'open', limit: 100 }, signal }),
  refetchInterval: VALUES_MS,
})

export const alertSettingsQuery = queryOptions({
  queryKey: ['alerts', 'settings'],
  queryFn: ({ signal }) => request('GET /v1/alert/settings', { signal }),
})

/** Open alerts about the installation, for operators. */
export const installationAlertsQuery = queryOptions({
  queryKey: ['operator', 'alerts'],
  queryFn: ({ signal }) =>
    request('GET /operator/v1/alert/list', { query: { state: 'open', limit: 100 }, signal }),
  refetchInterval: 15_000,
})
