// The rows of a view. `all` has every conversation, by its last message. The other views are those of the inbox, by the
// last reply. The open conversation stays in its place, even after it left the view: nothing moves under a reader.

import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useRef } from 'react'
import type { ConversationState, Message } from '../../../../generated/types.gen'
import { contactsQuery, type InboxView, inboxQuery } from '../../../api/inbox-queries'
import { conversationsQuery } from '../../../api/talk-queries'
import { keyOf, type ThreadKey } from '../use-conversation'

type State = Pick<ConversationState, 'status' | 'unread' | 'waiting' | 'assignee'>

export interface Row extends ThreadKey {
  name: string | null
  lastMessage: Message | null
  isOptedOut: boolean
  /** Null in `all`, where it is not known. */
  state: State | null
}

export interface RowFilter {
  view: InboxView
  campaign?: string | undefined
  number?: string | undefined
  me: string | null
}

export function useRows({ view, campaign, number, me }: RowFilter, open: ThreadKey | null) {
  const isAll = view === 'all'
  const all = useInfiniteQuery({
    ...conversationsQuery({ ...(campaign && { campaign }), ...(number && { number }) }),
    enabled: isAll,
  })
  const inbox = useInfiniteQuery({
    ...inboxQuery({ view: isAll ? 'waiting' : view, campaign, me }),
    enabled: !isAll,
  })
  const names = useNames(isAll ? (all.data?.pages ?? []) : [])
  const rows = isAll
    ? all.data?.pages.flatMap((page) =>
        page.conversations.map(
          ({ campaignId, recipient, lastMessage, optout }): Row => ({
            ...{ campaignId, phone: recipient, lastMessage },
            name: names.get(recipient) ?? null,
            isOptedOut: optout !== null,
            state: null,
          }),
        ),
      )
    : inbox.data?.pages.flatMap((page) =>
        page.conversations.map(
          (one): Row => ({
            ...{ campaignId: one.campaignId, phone: one.recipient, lastMessage: one.lastMessage },
            name: one.contact?.name ?? null,
            isOptedOut: one.optout !== null,
            state: one,
          }),
        ),
      )
  const list = isAll ? all : inbox
  const viewKey = [view, campaign, number].join(' ')
  const shown = useKeptRow(list.isPlaceholderData ? undefined : rows, open, viewKey)
  return { list, rows: shown ?? rows }
}

/** One request for the names of each page. */
function useNames(pages: readonly { conversations: readonly { recipient: string }[] }[]) {
  const found = useQueries({
    queries: pages.map((page) => contactsQuery(page.conversations.map((one) => one.recipient))),
  })
  const contacts = found.flatMap(({ data }) => data?.contacts ?? [])
  return new Map(contacts.map(({ phoneNumber, name }) => [phoneNumber, name]))
}

function useKeptRow(
  rows: readonly Row[] | undefined,
  open: ThreadKey | null,
  viewKey: string,
): readonly Row[] | undefined {
  const last = useRef<{ viewKey: string; rows: readonly Row[] }>({ viewKey, rows: [] })
  if (!rows) return undefined
  const before = last.current.viewKey === viewKey ? last.current.rows : []
  const at = open ? before.findIndex((row) => keyOf(row) === keyOf(open)) : -1
  const isGone = at >= 0 && !rows.some((row) => keyOf(row) === keyOf(open!))
  const shown = isGone ? rows.toSpliced(Math.min(at, rows.length), 0, before[at]!) : rows
  last.current = { viewKey, rows: shown }
  return shown
}
