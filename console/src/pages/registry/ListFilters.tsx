// The filters of a list: search text and status, both in the URL.

import { useNavigate } from '@tanstack/react-router'
import { useSettled } from '../../lib/use-settled'
import { ButtonLink } from '../../ui/inputs/Button'
import { Input, Select } from '../../ui/inputs/Field'
import { Empty } from '../../ui/layout/Page'

export interface ListFilter {
  q?: string
  status?: string
}

const TYPING_MS = 250

/** The filter as API parameters, once nobody has typed for a moment. */
export function useListQuery<Query extends object>({ q = '', status }: ListFilter): Query {
  const search = useSettled(q.trim(), TYPING_MS)
  return { ...(search && { search }), ...(status && { status }) } as Query
}

interface FilterProps {
  from: '/brands' | '/campaigns'
  filter: ListFilter
  label: string
  statuses: readonly { value: string; label: string }[]
}

export function ListFilters({ from, filter, label, statuses }: FilterProps) {
  const navigate = useNavigate({ from })
  const set = (change: ListFilter) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value)
    void navigate({ to: from, search: Object.fromEntries(next), replace: true })
  }
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <div className="w-full sm:w-64">
        <Input
          type="search"
          aria-label={label}
          placeholder={label}
          maxLength={100}
          value={filter.q ?? ''}
          onChange={({ target }) => set({ q: target.value })}
        />
      </div>
      <div className="w-40">
        <Select
          aria-label="Status"
          value={filter.status ?? ''}
          options={[{ value: '', label: 'All statuses' }, ...statuses]}
          onChange={({ target }) => set({ status: target.value })}
        />
      </div>
      {Object.keys(filter).length > 0 ? (
        <ButtonLink look="quiet" to={from} search={{}}>
          Clear filters
        </ButtonLink>
      ) : null}
    </search>
  )
}

export function NothingMatches({ to }: { to: '/brands' | '/campaigns' }) {
  return (
    <Empty
      title="No results"
      actions={
        <ButtonLink to={to} search={{}}>
          Clear filters
        </ButtonLink>
      }
    >
      Nothing matches these filters.
    </Empty>
  )
}
