// What the pages read, each under the name by which the live stream makes it read again.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  GetAccountReply,
  GetHandsetReply,
  GetMessageReply,
  GetMessageStatsReply,
  GetPricesReply,
  GetTimelineReply,
  ListBrandsReply,
  ListCampaignsReply,
  ListNumbersReply,
  ListWebhooksReply,
  PreviewMessageReply,
  SearchMessagesReply,
  SearchNumbersReply,
} from '../../generated/types.gen'
import { serviceNow } from '../lib/service-time'
import { call } from './call'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => call<GetAccountReply>('GET', '/v1/account', { signal }),
})

/** What this account pays now: the price on a button comes from here, never from the console. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => call<GetPricesReply>('GET', '/v1/account/prices', { signal }),
})

/** As many as a list to choose from can hold. */
const ALL = 1000

export const brandsQuery = queryOptions({
  queryKey: ['brands'],
  queryFn: ({ signal }) =>
    call<ListBrandsReply>('GET', '/v1/brand/list', { query: { limit: ALL }, signal }),
})

export const campaignsQuery = queryOptions({
  queryKey: ['campaigns'],
  queryFn: ({ signal }) =>
    call<ListCampaignsReply>('GET', '/v1/campaign/list', { query: { limit: ALL }, signal }),
})

/** Drafts, among them what a reviewer has returned: the list above leaves them out. */
export const draftCampaignsQuery = queryOptions({
  queryKey: ['campaigns', 'drafts'],
  queryFn: ({ signal }) =>
    call<ListCampaignsReply>('GET', '/v1/campaign/list', { query: { status: 'DRAFT' }, signal }),
})

export const numbersQuery = queryOptions({
  queryKey: ['numbers'],
  queryFn: ({ signal }) =>
    call<ListNumbersReply>('GET', '/v1/number/list', { query: { limit: ALL }, signal }),
})

export interface MessageFilter {
  campaign?: string
  status?: string
  direction?: string
  number?: string
  errorCode?: number
  /** Of the last hour, day …, counted from now; else between two moments. */
  time?: MessageTime
  since?: string
  until?: string
}

/** The windows that Messages offers, in milliseconds. */
export const MESSAGE_TIMES = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
} as const
export type MessageTime = keyof typeof MESSAGE_TIMES

/** As the API takes it: a window becomes the moment at which it begins. */
export function searchQueryOf({ time, since, ...filter }: MessageFilter) {
  const begin = time ? isoOf(serviceNow().getTime() - MESSAGE_TIMES[time]) : since
  return { ...filter, since: begin }
}

const PAGE = 50

/** Newest first, page by page. */
export function messagesQuery(filter: MessageFilter) {
  return infiniteQueryOptions({
    queryKey: ['messages', 'search', filter],
    queryFn: ({ pageParam, signal }) =>
      call<SearchMessagesReply>('GET', '/v1/message/search', {
        query: { ...searchQueryOf(filter), limit: PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
    placeholderData: (known) => known, // the old rows stay, dimmed, until there is an answer
  })
}

export function messageQuery(id: string) {
  return queryOptions({
    queryKey: ['messages', 'one', id],
    queryFn: ({ signal }) => call<GetMessageReply>('GET', `/v1/message/${id}`, { signal }),
  })
}

export function timelineQuery(id: string) {
  return queryOptions({
    queryKey: ['messages', 'timeline', id],
    queryFn: ({ signal }) =>
      call<GetTimelineReply>('GET', `/v1/message/${id}/timeline`, { signal }),
  })
}

/** The windows that Overview offers: how many buckets of which length. */
export const RANGES = {
  '24h': { bucket: 'hour', ms: 24 * 3_600_000 },
  '7d': { bucket: 'day', ms: 7 * 86_400_000 },
  '30d': { bucket: 'day', ms: 30 * 86_400_000 },
} as const
export type Range = keyof typeof RANGES

/** Now, or as many windows back. */
export function statsQuery(range: Range, back = 0) {
  const { bucket, ms } = RANGES[range]
  return queryOptions({
    queryKey: ['stats', range, back],
    queryFn: ({ signal }) => {
      const step = bucket === 'hour' ? 3_600_000 : 86_400_000
      const to = Math.ceil(serviceNow().getTime() / step) * step - back * ms
      const query = { bucket, by: 'carrier', from: isoOf(to - ms), to: isoOf(to) }
      return call<GetMessageStatsReply>('GET', '/v1/stats/messages', { query, signal })
    },
  })
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) =>
    call<ListWebhooksReply>('GET', '/v1/webhook/list', { query: { limit: ALL }, signal }),
})

/** What a text is worth: counted and priced by the service, so that it equals the bill. */
export function previewQuery(body: string, mediaUrls: readonly string[] = []) {
  return queryOptions({
    queryKey: ['preview', body, mediaUrls],
    queryFn: ({ signal }) =>
      call<PreviewMessageReply>('POST', '/v1/message/preview', {
        body: { body, ...(mediaUrls.length > 0 && { mediaUrls }) },
        signal,
      }),
  })
}

interface NumberSearch {
  areaCode: string
  limit: number
  /** Whose purchase would be charged: each number then says what it costs now. */
  campaign?: string | undefined
  nearby?: boolean
}

export function searchNumbersQuery(search: NumberSearch) {
  return queryOptions({
    queryKey: ['number-search', search],
    queryFn: ({ signal }) =>
      call<SearchNumbersReply>('GET', '/v1/number/search', { query: { ...search }, signal }),
  })
}

/** Both directions of one phone of the sandbox, newest first. */
export function handsetQuery(phone: string) {
  return queryOptions({
    queryKey: ['handset', phone],
    queryFn: ({ signal }) =>
      call<GetHandsetReply>('GET', `/sandbox/handset/${phone.replace(/\D/g, '')}`, { signal }),
  })
}
