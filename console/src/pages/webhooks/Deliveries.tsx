// The deliveries of a webhook, newest first, filtered by the URL.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Delivery, Webhook } from '../../../generated/types.gen'
import {
  DELIVERIES_PAGE,
  deliveriesQuery,
  recoveryQuery,
  type WebhookDeliveryState,
} from '../../api/webhook-queries'
import { aboutOf, EVENT_KINDS, isTest } from '../../lib/describe-webhook'
import { formatCount, plural } from '../../lib/format'
import { useRoomForPanel } from '../../lib/use-wide'
import type { DeliveryFilter } from '../../routes/webhooks'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { Button } from '../../ui/inputs/Button'
import { Select } from '../../ui/inputs/Field'
import { Empty } from '../../ui/layout/Page'
import { DeliveryBadge } from './badges'
import { Recover } from './Recover'
import type { Recovered } from './RecoverProgress'
import { TestButton } from './WebhookActions'

interface DeliveriesProps {
  webhook: Webhook
  openId: string | null
  onRecovered: (recovered: Recovered) => void
}

export function Deliveries({ webhook, openId, onRecovered }: DeliveriesProps) {
  const [isRecovering, setRecovering] = useState(false)
  return (
    <section aria-label="Deliveries" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <StateFilter webhookId={webhook.id} />
        <EventFilter />
        <div className="sm:ml-auto">
          <Button onClick={() => setRecovering(true)}>Recover…</Button>
        </div>
      </div>
      <Rows webhook={webhook} openId={openId} />
      {isRecovering ? (
        <Recover webhook={webhook} onRecovered={onRecovered} onClose={() => setRecovering(false)} />
      ) : null}
    </section>
  )
}

const STATES: readonly { state: WebhookDeliveryState | undefined; label: string }[] = [
  { state: undefined, label: 'All' },
  { state: 'failed', label: 'Failed' },
  { state: 'pending', label: 'Retrying' },
  { state: 'held', label: 'Held' },
  { state: 'delivered', label: 'Delivered' },
]

function useSetFilter(): (change: Partial<DeliveryFilter>) => void {
  const navigate = useNavigate()
  return (change) =>
    void navigate({
      to: '.', // keeps the open delivery
      search: (now: object) =>
        Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value)),
      replace: true,
      resetScroll: false,
    })
}

function StateFilter({ webhookId }: { webhookId: string }) {
  const { state: chosen } = useSearch({ from: '/shell/webhooks/$id' })
  const setFilter = useSetFilter()
  const { data } = useQuery(recoveryQuery(webhookId, null))
  const counts: Partial<Record<WebhookDeliveryState, number>> = data
    ? { failed: data.recovery.failed, held: data.recovery.held }
    : {}
  return (
    <fieldset aria-label="Status" className="flex flex-wrap gap-1">
      {STATES.map(({ state, label }) => {
        const count = state && counts[state]
        return (
          <button
            key={label}
            type="button"
            aria-pressed={state === chosen}
            onClick={() => setFilter({ state })}
            className="inline-flex min-h-8 cursor-pointer items-center gap-1 rounded-md px-2 text-ink-2 hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
          >
            {label}
            {count ? <span className="text-sm">{formatCount(count)}</span> : null}
          </button>
        )
      })}
    </fieldset>
  )
}

function EventFilter() {
  const { event } = useSearch({ from: '/shell/webhooks/$id' })
  const setFilter = useSetFilter()
  const types = EVENT_KINDS.map(({ type }) => ({ value: type as string, label: type as string }))
  return (
    <div className="w-48">
      <Select
        aria-label="Event"
        value={event ?? ''}
        options={[{ value: '', label: 'All events' }, ...types]}
        onChange={({ target: { value } }) => setFilter({ event: value })}
      />
    </div>
  )
}

/** Limits the list, so the secrets below stay easy to find. */
const FIRST_ROWS = 20

function Rows({ webhook, openId }: Pick<DeliveriesProps, 'webhook' | 'openId'>) {
  const { state, event } = useSearch({ from: '/shell/webhooks/$id' })
  const pages = useInfiniteQuery(deliveriesQuery(webhook.id, state))
  const hasRoom = useRoomForPanel()
  const [shown, setShown] = useState(FIRST_ROWS)
  const read = pages.data?.pages.flatMap(({ deliveries }) => deliveries)
  // The API filters by state. The page filters by event, among the deliveries it has read.
  const rows = event ? read?.filter(({ eventType }) => eventType === event) : read
  const count = rows?.length ?? 0
  const list = {
    ...pages,
    hasNextPage: count > shown || pages.hasNextPage,
    fetchNextPage: () => {
      setShown(shown + DELIVERIES_PAGE)
      if (count < shown + DELIVERIES_PAGE) void pages.fetchNextPage()
    },
  }
  return (
    <ListCard
      list={list}
      rows={rows?.slice(0, shown)}
      loading={{ rows: 8 }}
      empty={<Nothing webhook={webhook} isFiltered={Boolean(state || event)} openId={openId} />}
    >
      {(deliveries) => (
        <>
          {event ? (
            <p className="border-b border-line px-3 py-2 text-sm text-ink-2">
              {formatCount(count)} {event} {count === 1 ? 'event' : 'events'} in the newest{' '}
              {plural(read?.length ?? 0, 'delivery', 'deliveries')}
              {list.hasNextPage ? '. Show older deliveries to search further back.' : '.'}
            </p>
          ) : null}
          <DataTable
            label="Deliveries"
            rows={deliveries}
            rowKey={({ id }) => id}
            columns={openId && hasRoom ? NARROW_COLUMNS : COLUMNS}
            linkOf={({ id }) => ({
              to: '/webhooks/$id/deliveries/$deliveryId',
              params: { id: webhook.id, deliveryId: id },
              search: (now: object) => now,
              resetScroll: !hasRoom,
            })}
            short={(delivery) => <ShortRow delivery={delivery} />}
            openId={openId}
          />
        </>
      )}
    </ListCard>
  )
}

const STATE: Column<Delivery> = {
  name: 'state',
  head: 'Status',
  className: 'w-40',
  cell: (delivery) => <DeliveryBadge delivery={delivery} />,
}
const ABOUT: Column<Delivery> = {
  name: 'about',
  head: 'Subject',
  cell: (delivery) => <About delivery={delivery} />,
}
const EVENT: Column<Delivery> = {
  name: 'event',
  head: 'Event',
  isText: true,
  className: 'w-44',
  cell: ({ eventType }) => eventType,
}
const WHEN: Column<Delivery> = {
  name: 'when',
  head: 'Date',
  align: 'right',
  className: 'w-30',
  cell: ({ createdAt }) => <Time at={createdAt} />,
}
const TRIES: Column<Delivery> = {
  name: 'attempts',
  head: 'Attempts',
  align: 'right',
  className: 'w-24',
  cell: ({ attempts }) => attempts.length,
}
const COLUMNS = [STATE, EVENT, ABOUT, TRIES, WHEN]
/** Next to an open delivery, there is less room. */
const NARROW_COLUMNS: Column<Delivery>[] = [
  STATE,
  {
    name: 'event',
    head: 'Event',
    cell: (delivery) => (
      <span className="flex gap-2">
        <span className="shrink-0">{delivery.eventType}</span>
        <About delivery={delivery} />
      </span>
    ),
  },
  WHEN,
]

/** Right-to-left texts keep their direction, and the recipient stays before them. */
function About({ delivery }: { delivery: Delivery }) {
  const { who, what } = aboutOf(delivery)
  return (
    <span className="block truncate text-ink-2">
      {isTest(delivery) ? 'Test · ' : ''}
      {who} <bdi>{what}</bdi>
    </span>
  )
}

function ShortRow({ delivery }: { delivery: Delivery }) {
  return (
    <>
      <span className="flex items-center gap-2">
        <DeliveryBadge delivery={delivery} />
        <span className="ml-auto text-sm text-ink-2">
          <Time at={delivery.createdAt} />
        </span>
      </span>
      <span className="flex gap-2 text-sm">
        <span className="shrink-0">{delivery.eventType}</span>
        <About delivery={delivery} />
      </span>
    </>
  )
}

interface NothingProps {
  webhook: Webhook
  isFiltered: boolean
  openId: string | null
}

function Nothing({ webhook, isFiltered, openId }: NothingProps) {
  const setFilter = useSetFilter()
  if (isFiltered) {
    const clear = () => setFilter({ state: undefined, event: undefined })
    return (
      <Empty title="No results" actions={<Button onClick={clear}>Clear filters</Button>}>
        No deliveries match these filters.
      </Empty>
    )
  }
  return (
    <Empty
      title="No deliveries yet"
      actions={openId ? null : <TestButton webhook={webhook} isFilled={false} />}
    >
      Send a test event, or text STOP from a phone.
    </Empty>
  )
}
