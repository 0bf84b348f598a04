// The messages with one person in one campaign, and the team's notes. The thread follows new messages at the end, loads
// older ones while scrolling up, and never moves what is being read.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowDown } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useHeldQuery } from '../../api/held-queries'
import { notesQuery } from '../../api/inbox-queries'
import { onLiveEvent } from '../../api/stream'
import { optoutChangesQuery, threadQuery } from '../../api/talk-queries'
import { formatPhone } from '../../lib/format'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { useSlow } from '../../ui/layout/Page'
import { Item } from './Bubble'
import { threadItems } from './thread-items'
import { useKeptPlace } from './use-kept-place'

/** Older messages load this close to the top. */
const OLDER_PX = 200

interface ThreadProps {
  campaignId: string
  phone: string
  /** The message that was not sent, shown at the end. */
  children?: React.ReactNode
}

export function Thread({ campaignId, phone, children }: ThreadProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    threadQuery(campaignId, phone),
  )
  const { data: optouts } = useQuery(optoutChangesQuery(campaignId, phone))
  const noted = useInfiniteQuery(notesQuery(campaignId, phone))
  const { box, isAtEnd, toEnd, note } = useKeptPlace()
  const messages = data?.pages.flatMap((page) => page.messages) ?? []
  useHeldQuery(threadQuery(campaignId, phone).queryKey, !isAtEnd)
  useHeldQuery(notesQuery(campaignId, phone).queryKey, !isAtEnd)
  const unseen = useUnseen(campaignId, phone, isAtEnd)
  const changes = optouts?.changes ?? []
  const notes = noted.data?.pages.flatMap((page) => page.notes) ?? []
  const items = threadItems({ messages, changes, notes, hasOlder: hasNextPage })
  const scrolled = () => {
    note()
    const isNear = (box.current?.scrollTop ?? OLDER_PX) < OLDER_PX
    if (isNear && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    if (isNear && noted.hasNextPage && !noted.isFetchingNextPage) void noted.fetchNextPage()
  }
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        onScroll={scrolled}
        role="log"
        aria-label={`Messages with ${formatPhone(phone)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto p-4 -outline-offset-2 [overflow-anchor:none]"
      >
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Waiting />
        ) : items.length === 0 && !children ? (
          <p className="py-12 text-center text-ink-2">
            No messages with {formatPhone(phone)} in this campaign.
          </p>
        ) : (
          <ol className="flex min-h-full flex-col justify-end gap-2">
            {isFetchingNextPage ? (
              <li className="text-center text-xs text-ink-3">Loading older messages…</li>
            ) : null}
            {items.map((item) => (
              <Item key={item.key} item={item} conversation={{ campaignId, phone }} />
            ))}
            {children}
          </ol>
        )}
      </div>
      {unseen > 0 ? (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 inline-flex min-h-8 -translate-x-1/2 cursor-pointer items-center gap-1 rounded-md border border-line bg-raised px-3 text-sm font-medium text-accent-ink shadow-pop hover:bg-hover pointer-coarse:min-h-11"
        >
          {unseen} new
          <ArrowDown size={14} aria-hidden="true" />
        </button>
      ) : null}
    </div>
  )
}

/** How many messages arrived since the end was last visible. The thread itself is not read again until then. */
function useUnseen(campaignId: string, phone: string, isAtEnd: boolean): number {
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (isAtEnd) {
      setArrived(new Set())
      return
    }
    return onLiveEvent(({ eventType, data }) => {
      if (eventType !== 'message.incoming') return
      const { id, from, campaignId: campaign } = data.message
      if (campaign === campaignId && from === phone) setArrived((now) => new Set([...now, id]))
    })
  }, [campaignId, phone, isAtEnd])
  return arrived.size
}

/** Three bubbles of differing width. */
function Waiting() {
  const isSlow = useSlow()
  return (
    <div
      aria-hidden="true"
      className={`flex h-full flex-col justify-end gap-3 ${isSlow ? '' : 'invisible'}`}
    >
      <div className="h-10 w-1/2 self-end rounded-lg bg-hover" />
      <div className="h-8 w-1/4 rounded-lg bg-hover" />
      <div className="h-14 w-2/3 self-end rounded-lg bg-hover" />
    </div>
  )
}
