// Queries of the inbox: its views and counts, one conversation with its notes, contacts, and saved replies. Live events
// refresh those that start with `inbox`.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from './request'

/** Views of the inbox, as the URL names them. `all` includes conversations in which nobody replied. */
export const VIEWS = ['waiting', 'unread', 'mine', 'closed', 'all'] as const
export type InboxView = (typeof VIEWS)[number]

interface ListFilter {
  view: Exclude<InboxView, 'all'>
  campaign?: string | undefined
  /** The signed-in person, for `mine`. */
  me: string | null
}

const LIST_PAGE = 50
const NOTES_PAGE = 100

/** Latest reply first, page by page. */
export function inboxQuery({ view, campaign, me }: ListFilter) {
  const filter = view === 'mine' ? { view: 'open' as const, assignee: me } : { view }
  return infiniteQueryOptions({
    queryKey: ['inbox', 'list', view, campaign ?? '', me ?? ''],
    queryFn: ({ pageParam, signal }) =>
      request('GET /v1/inbox/list', {
        query: { ...filter, campaign, limit: LIST_PAGE, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, next }) => (hasMore ? next : null),
    placeholderData: (previous) => previous,
  })
}

export function inboxCountsQuery(campaign: string | undefined, me: string | null) {
  return queryOptions({
    queryKey: ['inbox', 'counts', campaign ?? '', me ?? ''],
    queryFn: ({ signal }) =>
      request('GET /v1/inbox/counts', { query: { campaign, assignee: me }, signal }),
    placeholderData: (previous) => previous,
  })
}

/** Its status, its assignee, and the contact. */
export function conversationQuery(campaign: string, phone: string) {
  return queryOptions({
    queryKey: ['inbox', 'one', campaign, phone],
    queryFn: ({ signal }) =>
      request('GET /v1/campaign/{id}/conversations/{number}', {
        path: conversationPath(campaign, phone),
        signal,
      }),
  })
}

export function conversationPath(campaign: string, phone: string): { id: string; number: string } {
  return { id: campaign, number: phone.replace(/\D/g, '') }
}

/** Newest first. */
export function notesQuery(campaign: string, phone: string) {
  return infiniteQueryOptions({
    queryKey: ['inbox', 'notes', campaign, phone],
    queryFn: ({ pageParam: after, signal }) =>
      request('GET /v1/campaign/{id}/conversations/{number}/notes', {
        path: conversationPath(campaign, phone),
        query: { limit: NOTES_PAGE, after },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ notes, hasMore }) => (hasMore ? (notes.at(-1)?.id ?? null) : null),
  })
}

/** The contacts among these numbers: those of one page of a list. */
export function contactsQuery(phones: readonly string[]) {
  const numbers = [...new Set(phones)].join(',')
  return queryOptions({
    queryKey: ['inbox', 'contacts', numbers],
    queryFn: ({ signal }) => request('GET /v1/contact/list', { query: { numbers }, signal }),
    enabled: numbers !== '',
  })
}

const FOUND_MAX = 20

/** The contacts whose name starts with the text. */
export function contactsNamedQuery(name: string) {
  return queryOptions({
    queryKey: ['inbox', 'contacts', 'named', name],
    queryFn: ({ signal }) =>
      request('GET /v1/contact/list', { query: { name, limit: FOUND_MAX }, signal }),
    enabled: name !== '',
  })
}

export const savedRepliesQuery = queryOptions({
  queryKey: ['saved-replies'],
  queryFn: ({ signal }) => request('GET /v1/saved-reply/list', { signal }),
})
