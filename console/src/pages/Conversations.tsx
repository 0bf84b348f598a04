// Conversations: the messages with one person, and whether they can receive more. On a wide screen, the list, the
// thread, and the details are side by side. On a phone, the list and the thread are two pages.

import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, Info } from 'lucide-react'
import { useState } from 'react'
import { campaignsQuery } from '../api/queries'
import { useSession } from '../api/session'
import { optoutChangesQuery, personQuery } from '../api/talk-queries'
import { describeCampaign } from '../lib/describe-status'
import { formatPhone, readPhone } from '../lib/format'
import { useWide } from '../lib/use-wide'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Dialog } from '../ui/feedback/Dialog'
import { Button, ButtonLink } from '../ui/inputs/Button'
import { CopyButton } from '../ui/inputs/Copy'
import { Select } from '../ui/inputs/Field'
import { Empty, Page } from '../ui/layout/Page'
import { Closed, Composer, Unsent } from './conversations/Composer'
import { ConversationList } from './conversations/ConversationList'
import { Facts } from './conversations/Facts'
import { Thread } from './conversations/Thread'
import { useLetter } from './conversations/use-letter'

export function Conversations() {
  const filter = useSearch({ from: '/shell/conversations' })
  const { digits } = useParams({ strict: false })
  const isWide = useWide()
  const isThreadPage = !isWide && digits !== undefined
  return (
    <Page
      title={isThreadPage ? formatPhone(readPhone(digits)) : 'Conversations'}
      actions={
        isThreadPage ? (
          <ButtonLink to="/conversations" search={filter}>
            <ArrowLeft size={16} aria-hidden="true" />
            All conversations
          </ButtonLink>
        ) : (
          <>
            <ApiRequestButton
              request={{ method: 'GET', path: '/v1/conversation/list', query: { ...filter } }}
            />
            {digits === undefined ? (
              <ButtonLink look="filled" to="/send">
                Send message
              </ButtonLink>
            ) : null}
          </>
        )
      }
    >
      <div className="flex h-[calc(100dvh-var(--strip)-10.5rem)] min-h-80 overflow-hidden rounded-lg border border-line bg-surface md:h-[calc(100dvh-var(--strip)-6.75rem)]">
        {isThreadPage ? null : (
          <div className="flex w-full flex-col border-line md:w-72 md:shrink-0 md:border-r">
            <ConversationList filter={filter} />
          </div>
        )}
        {isWide || digits !== undefined ? <Outlet /> : null}
      </div>
    </Page>
  )
}

export function NoConversation() {
  return (
    <div className="flex flex-1 items-center justify-center">
      <Empty title="Select a conversation">Its messages and opt-out status appear here.</Empty>
    </div>
  )
}

export function OpenConversation() {
  const { campaignId, digits } = useParams({ from: '/shell/conversations/$campaignId/$digits' })
  return <Open key={`${campaignId} ${digits}`} campaignId={campaignId} phone={readPhone(digits)} />
}

function Open({ campaignId, phone }: { campaignId: string; phone: string }) {
  const letter = useLetter(campaignId, phone)
  const closed = useClosed(campaignId, phone)
  return (
    <>
      <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
        <Head campaignId={campaignId} phone={phone} />
        <Thread campaignId={campaignId} phone={phone}>
          {letter.unsent === '' ? null : <Unsent letter={letter} />}
        </Thread>
        {closed ? <Closed reason={closed} /> : <Composer letter={letter} phone={phone} />}
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

function Head({ campaignId, phone }: { campaignId: string; phone: string }) {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <h2 className="text-lg font-semibold max-md:sr-only">{formatPhone(phone)}</h2>
      <span className="max-md:hidden">
        <CopyButton text={phone} label={formatPhone(phone)} />
      </span>
      <div className="flex min-w-0 flex-1 items-center justify-end gap-2 max-md:justify-between">
        <CampaignChoice campaignId={campaignId} phone={phone} />
        <span className="lg:hidden">
          <Button
            look="quiet"
            onClick={() => setConfirming(true)}
            aria-label="Details"
            title="Details"
          >
            <Info size={16} aria-hidden="true" />
          </Button>
        </span>
      </div>
      {isConfirming ? (
        <Dialog title={formatPhone(phone)} onClose={() => setConfirming(false)}>
          <Facts campaignId={campaignId} phone={phone} />
        </Dialog>
      ) : null}
    </div>
  )
}

/** The same person can be in several campaigns. Each is a separate conversation. */
function CampaignChoice({ campaignId, phone }: { campaignId: string; phone: string }) {
  const navigate = useNavigate({ from: '/conversations/$campaignId/$digits' })
  const { data: listed } = useQuery(campaignsQuery)
  const { data: person } = useQuery(personQuery(phone))
  const nameOf = (id: string) =>
    listed?.campaigns.find((campaign) => campaign.id === id)?.displayName || id
  const ids = new Set([
    campaignId,
    ...(person?.conversations ?? [])
      .filter(({ recipient }) => recipient === phone)
      .map((conversation) => conversation.campaignId),
  ])
  if (ids.size === 1) {
    return (
      <span className="min-w-0 truncate text-ink-2" title={nameOf(campaignId)}>
        {nameOf(campaignId)}
      </span>
    )
  }
  return (
    <Select
      aria-label="Campaign"
      className="max-w-56"
      value={campaignId}
      options={[...ids].map((id) => ({ value: id, label: nameOf(id) }))}
      onChange={(event) =>
        void navigate({
          to: '.',
          params: (now) => ({ ...now, campaignId: event.target.value }),
          search: (now) => now,
        })
      }
    />
  )
}

/** Why sending is not possible. Null: it is, or that is not known yet. */
function useClosed(campaignId: string, phone: string): string | null {
  const { account } = useSession()
  const { data: optouts } = useQuery(optoutChangesQuery(campaignId, phone))
  const { data } = useQuery(campaignsQuery)
  const status = data?.campaigns.find(({ id }) => id === campaignId)?.status
  if (optouts?.changes[0]?.change === 'opted_out') return 'This person opted out.'
  if (status !== undefined && status !== 'ACTIVE') return describeCampaign(status)
  if (account && !account.scopes.includes('send')) return 'This token lacks the send scope.'
  return null
}
