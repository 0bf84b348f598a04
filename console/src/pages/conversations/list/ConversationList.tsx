// The conversations of a view, the latest first. While someone has scrolled down, the rows stay, and new replies wait
// behind a button.

import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useHeldQuery } from '../../../api/held-queries'
import { conversationQuery, type InboxView, inboxQuery } from '../../../api/inbox-queries'
import { onLiveEvent } from '../../../api/stream'
import { type ConversationSearch, conversationsQuery } from '../../../api/talk-queries'
import { readPhone } from '../../../lib/format'
import { ListRows } from '../../../ui/display/ListCard'
import { changeConversation, keyOf, type ThreadKey, useMaySend, useMe } from '../use-conversation'
import { useInboxLive } from '../use-inbox-live'
import { Filters } from './Filters'
import { FoundContacts } from './FoundContacts'
import { Nothing } from './Nothing'
import { RowLink } from './RowLink'
import { useListKeys } from './use-list-keys'
import { type Row, type RowFilter, useRows } from './use-rows'

interface ListProps {
  filter: ConversationSearch
  view: InboxView
}

export function ConversationList({ filter, view }: ListProps) {
  const me = useMe()
  const open = useOpen()
  const { campaign, number, name } = filter
  const rowFilter = { view, campaign, number, me: me?.id ?? null }
  const { list, rows } = useRows(rowFilter, open)
  const place = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const { isScrolled, note, unseen } = useUnseen(box, rowFilter)
  useInboxLive((rows ?? []).filter(({ state }) => state?.waiting))
  useListKeys(place, open, useActs(rows ?? []))
  return (
    <div ref={place} className="relative flex min-h-0 flex-1 flex-col">
      <Filters filter={filter} />
      {isScrolled && unseen > 0 ? (
        <button
          type="button"
          onClick={() => box.current?.scrollTo({ top: 0 })}
          className="absolute top-28 left-1/2 z-1 inline-flex min-h-8 -translate-x-1/2 cursor-pointer items-center gap-1 rounded-md border border-line bg-raised px-3 text-sm font-medium text-accent-ink shadow-pop hover:bg-hover pointer-coarse:min-h-11"
        >
          <ArrowUp size={14} aria-hidden="true" />
          {unseen} new
        </button>
      ) : null}
      <div ref={box} onScroll={note} className="min-h-0 flex-1 overflow-y-auto">
        {name ? (
          <FoundContacts name={name} />
        ) : (
          <ListRows
            list={list}
            rows={rows}
            loading={{ rows: 8, height: 56 }}
            empty={<Nothing view={view} isFiltered={Boolean(campaign || number)} />}
          >
            {(shown) => <Rows rows={shown} open={open} />}
          </ListRows>
        )}
      </div>
    </div>
  )
}

function Rows({ rows, open }: { rows: readonly Row[]; open: ThreadKey | null }) {
  return (
    <ul aria-label="Conversations">
      {rows.map((row) => (
        <li key={keyOf(row)} className="border-b border-line">
          <RowLink row={row} isOpen={open !== null && keyOf(open) === keyOf(row)} />
        </li>
      ))}
    </ul>
  )
}

function useOpen(): ThreadKey | null {
  const { campaignId, digits } = useParams({ strict: false })
  return campaignId && digits ? { campaignId, phone: readPhone(digits) } : null
}

/** What the shortcuts do. Null for people who only read, and if a token signed in, which is nobody. */
function useActs(rows: readonly Row[]) {
  const client = useQueryClient()
  const me = useMe()
  const maySend = useMaySend()
  const isClosed = (key: ThreadKey) => {
    const cached = client.getQueryData(conversationQuery(key.campaignId, key.phone).queryKey)
    const state = cached?.conversation ?? rows.find((row) => keyOf(row) === keyOf(key))?.state
    return state?.status === 'CLOSED'
  }
  const close = (key: ThreadKey) =>
    void changeConversation(key, { status: isClosed(key) ? 'OPEN' : 'CLOSED' })
  const assignToMe = (key: ThreadKey) => void changeConversation(key, { assignee: me?.id ?? null })
  return { close: maySend ? close : null, assignToMe: maySend && me ? assignToMe : null }
}

/** How many people wrote while the list was scrolled down. Until it is back at the top, its rows are not read again. */
function useUnseen(box: RefObject<HTMLElement | null>, { view, campaign, number, me }: RowFilter) {
  const [isScrolled, setScrolled] = useState(false)
  const [wrote, setWrote] = useState<ReadonlySet<string>>(new Set())
  const inbox = inboxQuery({ view: view === 'all' ? 'waiting' : view, campaign, me }).queryKey
  const all = conversationsQuery({
    ...(campaign && { campaign }),
    ...(number && { number }),
  }).queryKey
  useHeldQuery(view === 'all' ? all : inbox, isScrolled)
  useEffect(() => {
    setWrote(new Set())
    if (!isScrolled) return
    return onLiveEvent(({ eventType, data }) => {
      if (eventType !== 'message.incoming') return
      const { from, campaignId } = data.message
      setWrote((now) => new Set([...now, keyOf({ campaignId, phone: from })]))
    })
  }, [isScrolled])
  const note = () => setScrolled((box.current?.scrollTop ?? 0) > 0)
  return { isScrolled, note, unseen: wrote.size }
}
