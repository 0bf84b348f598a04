// Queries of the conversation pages: the people, the messages, and the opt-outs.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { InboxView } from './inbox-queries'
import { request } from './request'

/** The view and the filters of the list, in the URL. */
export interface ConversationSearch {
  /** Absent: those who wait for an answer. */
  view?: InboxView
  campaign?: string
  number?: string
  /** Finds contacts by the start of their name. */
  name?: string
}

const LIST_PAGE = 50
const THREAD_PAGE = 50

/** Every conversation, the latest first, page by page. */
export function conversationsQuery(filter: Pick<ConversationSearch, 'campaign' | 'number'>) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/conversation/list', {
        query: { ...filter, limit: LIST_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
    placeholderData: (previous) => previous,
  })
}

/** The campaigns that have a conversation with one person, with the opt-out status of each. */
export function personQuery(phone: string) {
  return queryOptions({
    queryKey: ['conversations', 'person', phone],
    queryFn: ({ signal }) =>
      request('GET /v1/conversation/list', { query: { number: phone, limit: LIST_PAGE }, signal }),
  })
}

/** The messages, newest first. Older pages load while scrolling up. */
export function threadQuery(campaign: string, phone: string) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'thread', campaign, phone],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/message/search', {
        query: { campaign, number: phone, limit: THREAD_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
  })
}

/** When this person opted out and in again, newest first. */
export function optoutChangesQuery(campaign: string, phone: string) {
  return queryOptions({
    queryKey: ['optouts', 'changes', campaign, phone],
    queryFn: ({ signal }) =>
      request('GET /v1/campaign/{id}/optouts/{number}', {
        path: { id: campaign, number: phone.replace(/\D/g, '') },
        signal,
      }),
  })
}
