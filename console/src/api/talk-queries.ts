// What conversations read: who is talked with, what was said, and whether one may write.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  ListConversationsReply,
  ListOptoutChangesReply,
  SearchMessagesReply,
} from '../../generated/types.gen'
import { call } from './call'

export interface ConversationFilter {
  campaign?: string
  number?: string
}

const LIST_PAGE = 50
const THREAD_PAGE = 50

/** The latest first, page by page. */
export function conversationsQuery(filter: ConversationFilter) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      call<ListConversationsReply>('GET', '/v1/conversation/list', {
        query: { ...filter, limit: LIST_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
    placeholderData: (known) => known,
  })
}

/** Which campaigns talk with one person, and whether each may. */
export function personQuery(phone: string) {
  return queryOptions({
    queryKey: ['conversations', 'person', phone],
    queryFn: ({ signal }) =>
      call<ListConversationsReply>('GET', '/v1/conversation/list', {
        query: { number: phone, limit: LIST_PAGE },
        signal,
      }),
  })
}

/** What was said, newest first: older pages as one reads upwards. */
export function threadQuery(campaign: string, phone: string) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'thread', campaign, phone],
    queryFn: ({ pageParam, signal }) =>
      call<SearchMessagesReply>('GET', '/v1/message/search', {
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
      call<ListOptoutChangesReply>(
        'GET',
        `/v1/campaign/${campaign}/optouts/${phone.replace(/\D/g, '')}`,
        { signal },
      ),
  })
}
