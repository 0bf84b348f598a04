// Filters that are needed less often: text, dates, error code, price, metadata, and batch. They apply together.

import { type FormEvent, type ReactNode, useId } from 'react'
import type { MessageSearch } from '../../api/queries'
import { fromLocalInput, toLocalInput } from '../../lib/local-time'
import { Button } from '../../ui/inputs/Button'
import { Input } from '../../ui/inputs/Field'

const FIELDS = [
  'text',
  'since',
  'until',
  'errorCode',
  'priceMin',
  'priceMax',
  'metadata',
  'batch',
] as const
const NUMBERS: readonly string[] = ['errorCode', 'priceMin', 'priceMax']
const TIMES: readonly string[] = ['since', 'until']

export function hasMoreFilters(filter: MessageSearch): boolean {
  return FIELDS.some((name) => filter[name] !== undefined)
}

interface MoreFiltersProps {
  filter: MessageSearch
  /** An empty text removes a filter. */
  onApply: (change: MessageSearch) => void
}

export function MoreFilters({ filter, onApply }: MoreFiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const entries = FIELDS.map((name) => [name, inputOf(name, String(form.get(name) ?? ''))])
    const change = Object.fromEntries(entries) as MessageSearch
    const hasDates = Boolean(change.since || change.until)
    // A date replaces a range such as the last hour.
    onApply(hasDates ? ({ ...change, time: '' } as unknown as MessageSearch) : change)
  }
  const field = (name: (typeof FIELDS)[number]) => ({
    name,
    defaultValue:
      TIMES.includes(name) && filter[name]
        ? toLocalInput(new Date(filter[name]))
        : (filter[name] ?? ''),
  })
  const price = { type: 'number', min: 0, max: 1000, step: 'any', inputMode: 'decimal' } as const
  return (
    <form
      onSubmit={submit}
      className="grid items-end gap-2 rounded-lg border border-line bg-surface p-3 sm:grid-cols-2 lg:grid-cols-4"
    >
      <Named label="Text contains">
        {(id) => <Input id={id} type="search" maxLength={100} {...field('text')} />}
      </Named>
      <Named label="Created from">
        {(id) => <Input id={id} type="datetime-local" {...field('since')} />}
      </Named>
      <Named label="Created before">
        {(id) => <Input id={id} type="datetime-local" {...field('until')} />}
      </Named>
      <Named label="Error code">
        {(id) => <Input id={id} type="number" min={1} max={99_999} {...field('errorCode')} />}
      </Named>
      <Named label="Price from ($)">
        {(id) => <Input id={id} {...price} {...field('priceMin')} />}
      </Named>
      <Named label="Price to ($)">
        {(id) => <Input id={id} {...price} {...field('priceMax')} />}
      </Named>
      <Named label="Metadata (key:value)">
        {(id) => (
          <Input
            id={id}
            pattern="[^:]+:.*"
            title="A key and a value, for example order:1042"
            placeholder="order:1042"
            maxLength={577}
            {...field('metadata')}
          />
        )}
      </Named>
      <Named label="Batch">{(id) => <Input id={id} maxLength={512} {...field('batch')} />}</Named>
      <div className="sm:col-span-2 lg:col-span-4">
        <Button type="submit">Apply filters</Button>
      </div>
    </form>
  )
}

function Named({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm text-ink-2">
        {label}
      </label>
      {children(id)}
    </div>
  )
}

function inputOf(name: string, text: string): string | number {
  const input = text.trim()
  if (input === '') return ''
  if (NUMBERS.includes(name)) return Number(input)
  return TIMES.includes(name) ? (fromLocalInput(input)?.toISOString() ?? '') : input
}
