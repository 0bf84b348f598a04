// Finds conversations by number, by name, or by campaign.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { campaignsQuery } from '../../../api/queries'
import type { ConversationSearch } from '../../../api/talk-queries'
import { formatPhone, readPhone } from '../../../lib/format'
import { Input, Select } from '../../../ui/inputs/Field'

export function Filters({ filter }: { filter: ConversationSearch }) {
  const navigate = useNavigate({ from: '/conversations' })
  const { data } = useQuery(campaignsQuery)
  const set = (change: ConversationSearch) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true })
  }
  const written = filter.name ?? (filter.number ? formatPhone(filter.number) : '')
  const [text, setText] = useState(written)
  useEffect(() => setText(written), [written])
  const find = (typed: string) => {
    const input = typed.trim()
    const isName = /\p{L}/u.test(input)
    if (isName) set({ name: input, number: '' })
    else set({ name: '', number: input === '' ? '' : readPhone(input), ...(input && ALL) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    find(text)
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
          aria-label="Name or phone number"
          placeholder="Name or phone number"
          maxLength={100}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            if (event.target.value === '') find('')
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

/** A number is looked up among all conversations, also those without a reply. */
const ALL: ConversationSearch = { view: 'all' }
