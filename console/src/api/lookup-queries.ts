// Look-ups of messages by operators, and what a customer sees of them. Each request is audited, so none is repeated
// automatically.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type QueryOf, request } from './request'

export type LookupSearch = Omit<QueryOf<'GET /operator/v1/message/search'>, 'limit' | 'after'>

const PAGE = 50
const ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnReconnect: false,
} as const

export function lookupQuery(lookup: LookupSearch) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'lookup', lookup],
    queryFn: ({ pageParam, signal }) =>
      request('GET /operator/v1/message/search', {
        query: { ...lookup, limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, messages }) => (hasMore ? (messages.at(-1)?.id ?? null) : null),
    ...ONCE,
  })
}

export function lookedUpMessageQuery(id: string, reason: string) {
  return queryOptions({
    queryKey: ['operator', 'looked-up', id, reason],
    queryFn: ({ signal }) =>
      request('GET /operator/v1/message/{id}', {
        path: { id },
        query: { reason: reason || null },
        signal,
      }),
    placeholderData: (previous) => previous,
    ...ONCE,
  })
}

/** What operators and tokens did to this account, newest first. */
export const activityQuery = infiniteQueryOptions({
  queryKey: ['activity'],
  queryFn: ({ pageParam, signal }) =>
    request('GET /v1/account/activity', { query: { limit: PAGE, after: pageParam }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ hasMore, activity }) => (hasMore ? (activity.at(-1)?.id ?? null) : null),
})
