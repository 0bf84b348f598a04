// Conversations: the inbox of a team. On a wide screen, the list, the thread, and the details are side by side. On a
// phone, the list and the thread are two pages.

import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type InboxView, VIEWS } from '../api/inbox-queries'
import type { ConversationSearch } from '../api/talk-queries'
import { readPhone } from '../lib/format'
import { useWide } from '../lib/use-wide'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page } from '../ui/layout/Page'
import { ConversationList } from './conversations/list/ConversationList'
import { Views } from './conversations/list/Views'
import { OpenThread } from './conversations/OpenThread'
import { useMaySend, useMe, useTitle } from './conversations/use-conversation'

export function Conversations() {
  const filter = useSearch({ from: '/shell/conversations' })
  const { campaignId, digits } = useParams({ strict: false })
  const isWide = useWide()
  if (!isWide && campaignId && digits) {
    return <ThreadPage filter={filter} campaignId={campaignId} phone={readPhone(digits)} />
  }
  return <InboxPage filter={filter} />
}

function InboxPage({ filter }: { filter: ConversationSearch }) {
  const { digits } = useParams({ strict: false })
  const isWide = useWide()
  const me = useMe()
  const maySend = useMaySend()
  const view = viewOf(filter, me !== null)
  const { campaign, number } = filter
  const request =
    view === 'all'
      ? { path: '/v1/conversation/list', query: { campaign, number } }
      : { path: '/v1/inbox/list', query: { ...apiViewOf(view, me?.id), campaign } }
  return (
    <Page
      title="Conversations"
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', ...request }} />
          {digits === undefined && maySend ? (
            <ButtonLink look="filled" to="/send">
              Send message
            </ButtonLink>
          ) : null}
        </>
      }
    >
      <Views view={view} campaign={campaign} />
      <div className="flex h-[calc(100dvh-var(--strip)-13.5rem)] min-h-80 overflow-hidden rounded-lg border border-line bg-surface md:h-[calc(100dvh-var(--strip)-9.5rem)]">
        <div className="flex w-full flex-col border-line md:w-72 md:shrink-0 md:border-r">
          <ConversationList filter={filter} view={view} />
        </div>
        {isWide ? <Outlet /> : null}
      </div>
    </Page>
  )
}

interface ThreadPageProps {
  filter: ConversationSearch
  campaignId: string
  phone: string
}

function ThreadPage({ filter, ...key }: ThreadPageProps) {
  return (
    <Page
      title={useTitle(key)}
      actions={
        <ButtonLink to="/conversations" search={filter}>
          <ArrowLeft size={16} aria-hidden="true" />
          Back to list
        </ButtonLink>
      }
    >
      <div className="flex h-[calc(100dvh-var(--strip)-10.5rem)] min-h-80 overflow-hidden rounded-lg border border-line bg-surface">
        <Outlet />
      </div>
    </Page>
  )
}

/** A number is looked up among all conversations. */
function viewOf({ view, number }: ConversationSearch, isPerson: boolean): InboxView {
  if (number) return 'all'
  if (!view || !VIEWS.includes(view) || (view === 'mine' && !isPerson)) return 'waiting'
  return view
}

function apiViewOf(view: InboxView, me: string | undefined) {
  return view === 'mine' ? { view: 'open', assignee: me } : { view }
}

export function NoConversation() {
  return (
    <div className="flex flex-1 items-center justify-center">
      <Empty title="Select a conversation">
        Its messages appear here. Press J and K to move through the list, and Enter to open one.
      </Empty>
    </div>
  )
}

export function OpenConversation() {
  const { campaignId, digits } = useParams({ from: '/shell/conversations/$campaignId/$digits' })
  return (
    <OpenThread key={`${campaignId} ${digits}`} {...{ campaignId, phone: readPhone(digits) }} />
  )
}
