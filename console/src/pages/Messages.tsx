// Messages: all of the account's, newest first and live, filtered by what stands in the address; beside
// them the one that is open.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { campaignsQuery, type MessageFilter, messagesQuery } from '../api/queries'
import { readPhone } from '../lib/format'
import { Button, ButtonLink, StartLink } from '../ui/Button'
import { Input, Select } from '../ui/Field'
import { LiveBadge } from '../ui/LiveBadge'
import { ErrorNotice } from '../ui/Notice'
import { Empty, Page, Skeleton } from '../ui/Page'
import { messageStatusState } from '../ui/states'
import { MessageDetail } from './messages/MessageDetail'
import { MessageTable } from './messages/MessageTable'

const STATUSES = ['SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED']

export function Messages() {
  const { open = null, ...filter } = useSearch({ from: '/house/messages' })
  const { data, error, isPlaceholderData, refetch, ...pages } = useInfiniteQuery(
    messagesQuery(filter),
  )
  const messages = data?.pages.flatMap((page) => page.messages) ?? []
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Page
      title="Messages"
      actions={
        <span className="md:hidden">
          <LiveBadge />
        </span>
      }
    >
      <Filters filter={filter} />
      <div className={open ? 'grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_27.5rem]' : ''}>
        <div className="overflow-hidden rounded-lg border border-line bg-surface">
          {error ? (
            <div className="p-4">
              <ErrorNotice error={error} onRetry={() => void refetch()} />
            </div>
          ) : !data ? (
            <div className="px-3">
              <Skeleton rows={12} />
            </div>
          ) : messages.length === 0 && !pages.hasNextPage ? (
            <Nothing isFiltered={isFiltered} />
          ) : (
            <MessageTable messages={messages} openId={open} isStale={isPlaceholderData} />
          )}
          {pages.hasNextPage ? (
            <div className="flex justify-center border-t border-line p-3">
              <Button
                onClick={() => void pages.fetchNextPage()}
                busy={pages.isFetchingNextPage && 'Loading…'}
              >
                Show older
              </Button>
            </div>
          ) : null}
        </div>
        {open ? <Panel id={open} /> : null}
      </div>
    </Page>
  )
}

function Panel({ id }: { id: string }) {
  const navigate = useNavigate({ from: '/messages' })
  const close = () => void navigate({ search: ({ open: _, ...rest }) => rest })
  useEffect(() => {
    const hear = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') void navigate({ search: ({ open: _, ...rest }) => rest })
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [navigate])
  return (
    <aside
      aria-label="The open message"
      className="relative rounded-lg border border-line bg-surface p-4 max-xl:order-first xl:sticky xl:top-10"
    >
      <button
        type="button"
        onClick={close}
        aria-label="Close"
        className="absolute top-3 right-3 inline-flex size-8 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover pointer-coarse:size-11"
      >
        <X size={16} aria-hidden="true" />
      </button>
      <MessageDetail key={id} id={id} />
    </aside>
  )
}

function Filters({ filter }: { filter: MessageFilter }) {
  const navigate = useNavigate({ from: '/messages' })
  const { data } = useQuery(campaignsQuery)
  const set = (change: MessageFilter) =>
    void navigate({
      search: ({ open: _, ...now }) => withoutEmpty({ ...now, ...change }),
      replace: true,
    })
  const campaigns = (data?.campaigns ?? []).map(({ id, displayName }) => ({
    value: id,
    label: displayName || id,
  }))
  const statuses = STATUSES.map((value) => ({ value, label: messageStatusState(value).word }))
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SearchField number={filter.number ?? ''} onSearch={(number) => set({ number })} />
      <Choice
        label="Campaign"
        value={filter.campaign}
        options={campaigns}
        onChoose={(campaign) => set({ campaign })}
      />
      <Choice
        label="Status"
        value={filter.status}
        options={statuses}
        onChoose={(status) => set({ status })}
      />
      <Choice
        label="Direction"
        value={filter.direction}
        options={[
          { value: 'OUTBOUND', label: 'Sent' },
          { value: 'INBOUND', label: 'Received' },
        ]}
        onChoose={(direction) => set({ direction })}
      />
      {Object.keys(filter).length > 0 ? (
        <ButtonLink look="quiet" to="/messages" search={{}}>
          Clear filters
        </ButtonLink>
      ) : null}
    </search>
  )
}

function withoutEmpty<T extends Record<string, unknown>>(search: T): T {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as T
}

interface ChoiceProps {
  label: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  onChoose: (value: string) => void
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <div className="w-40">
      <Select
        aria-label={label}
        value={value ?? ''}
        options={[{ value: '', label: `${label}: all` }, ...options]}
        onChange={(event) => onChoose(event.target.value)}
      />
    </div>
  )
}

/** A phone number narrows the list; an id opens its message. */
function SearchField({ number, onSearch }: { number: string; onSearch: (number: string) => void }) {
  const navigate = useNavigate()
  const [text, setText] = useState(number)
  useEffect(() => setText(number), [number])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim()
    if (/^msg_\w+$/.test(wanted)) void navigate({ to: '/messages/$id', params: { id: wanted } })
    else onSearch(wanted === '' ? '' : readPhone(wanted))
  }
  return (
    <form onSubmit={submit} className="w-full sm:w-64">
      <Input
        type="search"
        aria-label="Number or id"
        placeholder="Number or id"
        maxLength={60}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty
        title="Nothing matches."
        actions={
          <ButtonLink to="/messages" search={{}}>
            Clear filters
          </ButtonLink>
        }
      >
        No message is as these filters say.
      </Empty>
    )
  }
  return (
    <Empty title="No messages yet." actions={<StartLink>Send your first text</StartLink>}>
      Or <code className="font-mono">POST /v1/message/send</code>: what is sent and received shows
      up here by itself.
    </Empty>
  )
}
