// Queries of the account pages, keyed by the names that live events refresh.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { serviceNow } from '../lib/service-time'
import { type QueryOf, request } from './request'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => request('GET /v1/account', { signal }),
})

/** What this account pays now. Button prices come from here, never from the console. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => request('GET /v1/account/prices', { signal }),
})

/** Live events that change carrier limits change these, too. */
export const quotasQuery = queryOptions({
  queryKey: ['limits', 'quotas'],
  queryFn: ({ signal }) => request('GET /v1/account/quotas', { signal }),
})

/** As many as a select menu can reasonably hold. */
const ALL = 1000

export const brandsQuery = queryOptions({
  queryKey: ['brands'],
  queryFn: ({ signal }) => request('GET /v1/brand/list', { query: { limit: ALL }, signal }),
})

export const campaignsQuery = queryOptions({
  queryKey: ['campaigns'],
  queryFn: ({ signal }) => request('GET /v1/campaign/list', { query: { limit: ALL }, signal }),
})

/** Drafts, including campaigns that a reviewer returned. The list above leaves them out. */
export const draftCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'drafts'],
  queryFn: ({ signal }) => request('GET /v1/campaign/list', { query: { status: 'DRAFT' }, signal }),
})

export const numbersQuery = queryOptions({
  queryKey: ['numbers'],
  queryFn: ({ signal }) => request('GET /v1/number/list', { query: { limit: ALL }, signal }),
})

export type MessageSearch = Omit<QueryOf<'GET /v1/message/search'>, 'limit' | 'after'> & {
  /** A relative range such as the last hour or day. Otherwise, a range between two times. */
  time?: MessageTime
}

/** The time ranges that Messages offers, in milliseconds. */
export const MESSAGE_TIMES = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
} as const
export type MessageTime = keyof typeof MESSAGE_TIMES

/** The filter as API parameters: a relative range becomes its start time. */
export function searchQueryOf({ time, since, ...filter }: MessageSearch) {
  const begin = time ? isoOf(serviceNow().getTime() - MESSAGE_TIMES[time]) : since
  return { ...filter, since: begin }
}

const PAGE = 50

/** Newest first, page by page. */
export function messagesQuery(filter: MessageSearch) {
  return infiniteQueryOptions({
    queryKey: ['messages', 'search', filter],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/message/search', {
        query: { ...searchQueryOf(filter), limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
    placeholderData: (previous) => previous, // keep the old rows, dimmed, until the response arrives
  })
}

const EXPORT_MS = 1_000

/** Polled while one is running. */
export const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: ({ signal }) => request('GET /v1/export/list', { signal }),
  refetchInterval: ({ state }) =>
    state.data?.exports.some(({ status }) => status === 'RUNNING') ? EXPORT_MS : false,
})

export function messageQuery(id: string) {
  return queryOptions({
    queryKey: ['messages', 'one', id],
    queryFn: ({ signal }) => request('GET /v1/message/{id}', { path: { id }, signal }),
  })
}

export function timelineQuery(id: string) {
  return queryOptions({
    queryKey: ['messages', 'timeline', id],
    queryFn: ({ signal }) => request('GET /v1/message/{id}/timeline', { path: { id }, signal }),
  })
}

/** The time ranges that Overview offers: number and length of the buckets. */
export const RANGES = {
  '24h': { bucket: 'hour', ms: 24 * 3_600_000 },
  '7d': { bucket: 'day', ms: 7 * 86_400_000 },
  '30d': { bucket: 'day', ms: 30 * 86_400_000 },
} as const
export type Range = keyof typeof RANGES

/** The current range, or the given number of ranges earlier. */
export function statsQuery(range: Range, back = 0) {
  const { bucket, ms } = RANGES[range]
  return queryOptions({
    queryKey: ['stats', range, back],
    queryFn: ({ signal }) => {
      const step = bucket === 'hour' ? 3_600_000 : 86_400_000
      const to = Math.ceil(serviceNow().getTime() / step) * step - back * ms
      const query = { bucket, by: 'carrier' as const, from: isoOf(to - ms), to: isoOf(to) }
      return request('GET /v1/stats/messages', { query, signal })
    },
  })
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => request('GET /v1/webhook/list', { query: { limit: ALL }, signal }),
})

/** Segments and price of a text, counted by the service, so they match the bill. */
export function previewQuery(body: string, mediaUrls: readonly string[] = []) {
  return queryOptions({
    queryKey: ['preview', body, mediaUrls],
    queryFn: ({ signal }) =>
      request('POST /v1/message/preview', {
        body: { body, ...(mediaUrls.length > 0 && { mediaUrls }) },
        signal,
      }),
  })
}

interface NumberSearch {
  areaCode: string
  limit: number
  /** The campaign to charge. Each number then has its price for today. */
  campaign?: string | undefined
  nearby?: boolean
}

export function searchNumbersQuery(search: NumberSearch) {
  return queryOptions({
    queryKey: ['number-search', search],
    queryFn: ({ signal }) => request('GET /v1/number/search', { query: { ...search }, signal }),
  })
}

/** Both directions of one sandbox phone, newest first. */
export function handsetQuery(phone: string) {
  return queryOptions({
    queryKey: ['handset', phone],
    queryFn: ({ signal }) =>
      request('GET /sandbox/handset/{number}', {
        path: { number: phone.replace(/\D/g, '') },
        signal,
      }),
  })
}
