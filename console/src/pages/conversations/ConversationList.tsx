// The account's conversations, the latest first, filtered by number or campaign.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ban } from 'lucide-react'
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Conversation } from '../../../generated/types.gen'
import { campaignsQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { type ConversationSearch, conversationsQuery } from '../../api/talk-queries'
import { formatPhone, readPhone } from '../../lib/format'
import { useKeys } from '../../lib/use-keys'
import { ListRows } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { ButtonLink } from '../../ui/inputs/Button'
import { Phone } from '../../ui/inputs/Copy'
import { Input, Select } from '../../ui/inputs/Field'
import { Empty } from '../../ui/layout/Page'

export function ConversationList({ filter }: { filter: ConversationSearch }) {
  const list = useInfiniteQuery(conversationsQuery(filter))
  const place = useRef<HTMLDivElement>(null)
  useListKeys(place)
  return (
    <div ref={place} className="flex min-h-0 flex-1 flex-col">
      <Filters filter={filter} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <ListRows
          list={list}
          rows={list.data?.pages.flatMap(({ conversations }) => conversations)}
          loading={{ rows: 8, height: 56 }}
          empty={<Nothing isFiltered={Boolean(filter.campaign || filter.number)} />}
        >
          {(conversations) => (
            <ul aria-label="Conversations">
              {conversations.map((conversation) => (
                <li
                  key={`${conversation.campaignId} ${conversation.recipient}`}
                  className="border-b border-line"
                >
                  <Row conversation={conversation} />
                </li>
              ))}
            </ul>
          )}
        </ListRows>
      </div>
    </div>
  )
}

/** j and k move through the list. / focuses the search. */
function useListKeys(place: RefObject<HTMLElement | null>): void {
  const move = (step: number) => () => {
    const links = [...(place.current?.querySelectorAll<HTMLElement>('li a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const open = links.findIndex((link) => link.getAttribute('aria-current') === 'page')
    const next = (at < 0 ? open : at) + step
    links[Math.max(0, Math.min(links.length - 1, next))]?.focus()
  }
  useKeys({
    j: move(1),
    k: move(-1),
    '/': (event) => {
      event.preventDefault()
      place.current?.querySelector('input')?.focus()
    },
  })
}

function Row({ conversation }: { conversation: Conversation }) {
  const { campaignId, recipient, lastMessage, optout } = conversation
  const { data } = useQuery(campaignsQuery)
  const campaign = data?.campaigns.find(({ id }) => id === campaignId)?.displayName ?? ''
  const body = lastMessage.body || (lastMessage.mediaUrls.length > 0 ? 'Media' : 'No text')
  return (
    <Link
      to="/conversations/$campaignId/$digits"
      params={{ campaignId, digits: recipient.replace(/\D/g, '') }}
      search={(now) => now}
      className="flex flex-col gap-0.5 px-3 py-2 hover:bg-hover aria-[current=page]:bg-accent-soft"
    >
      <span className="flex items-center gap-2">
        <span className="font-medium">
          <Phone phone={recipient} />
        </span>
        <span className="ml-auto text-xs text-ink-2">
          <Time at={lastMessage.createdAt} />
        </span>
      </span>
      <span className="flex gap-1 text-sm text-ink-2">
        {lastMessage.direction === 'OUTBOUND' ? <span>You:</span> : null}
        <span className="min-w-0 truncate" dir="auto">
          {body.slice(0, 120)}
        </span>
      </span>
      <span className="flex gap-2 text-xs text-ink-2 empty:hidden">
        {optout ? (
          <span className="inline-flex shrink-0 items-center gap-1 text-bad-ink">
            <Ban size={12} aria-hidden="true" />
            Opted out
          </span>
        ) : null}
        {(data?.campaigns.length ?? 0) > 1 ? (
          <span className="min-w-0 truncate" title={campaign}>
            {campaign}
          </span>
        ) : null}
      </span>
    </Link>
  )
}

function Filters({ filter }: { filter: ConversationSearch }) {
  const navigate = useNavigate({ from: '/conversations' })
  const { data } = useQuery(campaignsQuery)
  const set = (change: ConversationSearch) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true })
  }
  const [text, setText] = useState(filter.number ? formatPhone(filter.number) : '')
  useEffect(() => setText(filter.number ? formatPhone(filter.number) : ''), [filter.number])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set({ number: text.trim() === '' ? '' : readPhone(text) })
  }
  const campaigns = (data?.campaigns ?? []).map(({ id, displayName }) => ({
    value: id,
    label: displayName || id,
  }))
  return (
    <search className="flex flex-col gap-2 border-b border-line p-3">
      <form onSubmit={submit}>
        <Input
          type="search"
          aria-label="Phone number"
          placeholder="Phone number"
          inputMode="tel"
          maxLength={30}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            if (event.target.value === '') set({ number: '' })
          }}
        />
      </form>
      {campaigns.length > 1 ? (
        <Select
          aria-label="Campaign"
          value={filter.campaign ?? ''}
          options={[{ value: '', label: 'All campaigns' }, ...campaigns]}
          onChange={(event) => set({ campaign: event.target.value })}
        />
      ) : null}
    </search>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { mode } = useSession()
  if (isFiltered) {
    return (
      <Empty
        title="No results"
        actions={
          <ButtonLink to="/conversations" search={{}}>
            Clear filters
          </ButtonLink>
        }
      >
        No conversations match these filters.
      </Empty>
    )
  }
  return (
    <Empty
      title="No conversations yet"
      actions={mode === 'sandbox' ? <ButtonLink to="/handset">Open handset</ButtonLink> : null}
    >
      A conversation starts when you send a message or someone texts one of your numbers.
    </Empty>
  )
}
