// One open conversation: its head, its messages and notes, the composer, and the details. Opening it marks it as read.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { conversationQuery } from '../../api/inbox-queries'
import { campaignsQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { optoutChangesQuery, threadQuery } from '../../api/talk-queries'
import { describeCampaign } from '../../lib/describe-status'
import { useKeys } from '../../lib/use-keys'
import { ComposeArea, type Mode } from './compose/ComposeArea'
import { Unsent } from './compose/Unsent'
import { useLetter } from './compose/use-letter'
import { Facts } from './Facts'
import { Head } from './Head'
import { Thread } from './Thread'
import { changeConversation, type ThreadKey, useMaySend } from './use-conversation'
import { useInboxLive } from './use-inbox-live'

export function OpenThread(key: ThreadKey) {
  const { campaignId, phone } = key
  const letter = useLetter(campaignId, phone)
  const blocked = useBlocked(key)
  const [mode, setMode] = useState<Mode>('reply')
  useInboxLive([key])
  useMarkRead(key)
  useComposeKeys(setMode)
  return (
    <>
      <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
        <Head {...key} />
        <Thread campaignId={campaignId} phone={phone}>
          {letter.unsent ? <Unsent letter={letter} /> : null}
        </Thread>
        <ComposeArea
          conversation={key}
          letter={letter}
          blocked={blocked}
          mode={mode}
          onMode={setMode}
        />
      </section>
      <aside
        aria-label="Details"
        className="hidden w-60 shrink-0 overflow-y-auto border-l border-line p-4 lg:block"
      >
        <Facts campaignId={campaignId} phone={phone} />
      </aside>
    </>
  )
}

/** r writes a reply, n a note. The field exists only in its mode, so it gets the focus after the next rendering. */
function useComposeKeys(setMode: (mode: Mode) => void): void {
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (asked > 0) document.querySelector<HTMLElement>('[data-composer] textarea')?.focus()
  }, [asked])
  const begin = (mode: Mode) => (event: KeyboardEvent) => {
    event.preventDefault()
    setMode(mode)
    setAsked((now) => now + 1)
  }
  useKeys({ r: begin('reply'), n: begin('note') })
}

/** Also when a reply arrives while it is on the screen. A hidden tab reads nothing. */
function useMarkRead({ campaignId, phone }: ThreadKey): void {
  const { data, error, refetch } = useQuery(conversationQuery(campaignId, phone))
  const { data: thread } = useInfiniteQuery(threadQuery(campaignId, phone))
  const maySend = useMaySend()
  const isVisible = useSyncExternalStore(
    (watcher) => {
      document.addEventListener('visibilitychange', watcher)
      return () => document.removeEventListener('visibilitychange', watcher)
    },
    () => document.visibilityState === 'visible',
  )
  const isUnread = data?.conversation.unread ?? false
  useEffect(() => {
    if (isUnread && maySend && isVisible) {
      void changeConversation({ campaignId, phone }, { unread: false })
    }
  }, [isUnread, maySend, isVisible, campaignId, phone])
  // Before the first message, there is no conversation.
  const isNew = error !== null && (thread?.pages[0]?.messages.length ?? 0) > 0
  useEffect(() => {
    if (isNew) void refetch()
  }, [isNew, refetch])
}

/** Why sending is not possible. Null: it is, or that is not known yet. */
function useBlocked({ campaignId, phone }: ThreadKey): string | null {
  const { account, user } = useSession()
  const { data: optouts } = useQuery(optoutChangesQuery(campaignId, phone))
  const { data } = useQuery(campaignsQuery)
  const status = data?.campaigns.find(({ id }) => id === campaignId)?.status
  if (account && !account.scopes.includes('send')) {
    return user ? 'Your role allows reading only.' : 'This token lacks the send scope.'
  }
  if (optouts?.changes[0]?.change === 'opted_out') return 'This person opted out.'
  if (status !== undefined && status !== 'ACTIVE') return describeCampaign(status)
  return null
}
