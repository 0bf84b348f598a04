// The filters of the message list, all in the URL and each removable. On a phone, they are behind one button that
// shows their number.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListFilter, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  campaignsQuery,
  MESSAGE_TIMES,
  type MessageSearch,
  type MessageTime,
} from '../../api/queries'
import { formatPhone, readPhone } from '../../lib/format'
import { useKeys } from '../../lib/use-keys'
import { messageStatusState } from '../../ui/display/states'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Choice } from '../../ui/inputs/Choice'
import { Input } from '../../ui/inputs/Field'
import { describeFilter, TIME_WORDS } from './describe-filter'
import { hasMoreFilters, MoreFilters } from './MoreFilters'

const STATUSES = ['SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED']
const DIRECTIONS = [
  { value: 'OUTBOUND', label: 'Sent' },
  { value: 'INBOUND', label: 'Received' },
]

export function Filters({ filter }: { filter: MessageSearch }) {
  const navigate = useNavigate({ from: '/messages' })
  const { data } = useQuery(campaignsQuery)
  const [isOpen, setOpen] = useState(false)
  const [isMore, setMore] = useState(() => hasMoreFilters(filter))
  const set = (change: MessageSearch) =>
    void navigate({
      search: ({ open: _, viewName: __, ...now }) => withoutEmpty({ ...now, ...change }),
      replace: true,
    })
  const campaigns = data?.campaigns ?? []
  const words = describeFilter(filter, campaigns)
  return (
    <search className="mb-3 flex flex-col gap-2">
      <div className="flex gap-2 max-md:flex-wrap">
        <SearchField number={filter.number ?? ''} onSearch={(number) => set({ number })} />
        <span className="md:hidden">
          <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            <ListFilter size={16} aria-hidden="true" />
            Filters{words.length > 0 ? ` (${words.length})` : ''}
          </Button>
        </span>
        <div
          className={`flex gap-2 max-md:w-full max-md:flex-col ${isOpen ? '' : 'max-md:hidden'}`}
        >
          <Choice
            className="md:w-36"
            label="Campaign"
            value={filter.campaign}
            options={campaigns.map(({ id, displayName }) => ({
              value: id,
              label: displayName || id,
            }))}
            onChoose={(campaign) => set({ campaign })}
          />
          <Choice
            className="md:w-36"
            label="Status"
            value={filter.status}
            options={STATUSES.map((value) => ({ value, label: messageStatusState(value).word }))}
            onChoose={(status) => set({ status } as MessageSearch)}
          />
          <Choice
            className="md:w-36"
            label="Direction"
            value={filter.direction}
            options={DIRECTIONS}
            onChoose={(direction) => set({ direction } as MessageSearch)}
          />
          <Choice
            className="md:w-36"
            label="Time"
            value={filter.time}
            options={Object.keys(MESSAGE_TIMES).map((value) => ({
              value,
              label: TIME_WORDS[value as MessageTime],
            }))}
            onChoose={(time) => set({ time: time as MessageTime, since: '', until: '' })}
          />
          <Button look="quiet" onClick={() => setMore(!isMore)} aria-expanded={isMore}>
            More filters
          </Button>
        </div>
      </div>
      {isMore ? (
        <div className={isOpen ? '' : 'max-md:hidden'}>
          <MoreFilters key={JSON.stringify(filter)} filter={filter} onApply={set} />
        </div>
      ) : null}
      <Chips words={words} isOpen={isOpen} />
    </search>
  )
}

function Chips({ words, isOpen }: { words: ReturnType<typeof describeFilter>; isOpen: boolean }) {
  if (words.length === 0) return null
  return (
    <div className={`flex flex-wrap items-center gap-2 ${isOpen ? '' : 'max-md:hidden'}`}>
      {words.map(({ text, without }) => (
        <Link
          key={text}
          to="/messages"
          search={({ live }) => (live === 0 ? { ...without, live } : without)}
          aria-label={`Remove filter: ${text}`}
          className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-sm bg-accent-soft px-2 text-sm hover:bg-hover pointer-coarse:min-h-11"
        >
          <span className="truncate">{text}</span>
          <X size={12} aria-hidden="true" className="shrink-0" />
        </Link>
      ))}
      <ButtonLink look="quiet" to="/messages" search={{}}>
        Clear filters
      </ButtonLink>
    </div>
  )
}

function withoutEmpty<T extends Record<string, unknown>>(search: T): T {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as T
}

/** A phone number filters the list. An id opens its message. */
function SearchField({ number, onSearch }: { number: string; onSearch: (number: string) => void }) {
  const navigate = useNavigate()
  const field = useRef<HTMLFormElement>(null)
  const [text, setText] = useState('')
  useEffect(() => setText(number === '' ? '' : formatPhone(number)), [number])
  useKeys({
    '/': (event) => {
      event.preventDefault()
      field.current?.querySelector('input')?.focus()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const input = text.trim()
    if (/^msg_\w+$/.test(input)) void navigate({ to: '/messages/$id', params: { id: input } })
    else onSearch(input === '' ? '' : readPhone(input))
  }
  return (
    <form ref={field} onSubmit={submit} className="min-w-0 flex-1 md:w-60 md:flex-none">
      <Input
        type="search"
        aria-label="Phone number or message ID"
        placeholder="Number or ID"
        maxLength={60}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          if (event.target.value === '' && number !== '') onSearch('')
        }}
      />
    </form>
  )
}
