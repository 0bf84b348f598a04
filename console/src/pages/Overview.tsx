// Overview: is everything all right, and what needs somebody? Every figure names its window and leads to
// the messages behind it.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MessageStats } from '../../generated/types.gen'
import { accountQuery, messagesQuery, type Range, statsQuery } from '../api/queries'
import { floorMoney, formatCount, plural } from '../lib/format'
import { serviceNow } from '../lib/service-time'
import { durationWords } from '../lib/time-words'
import { Badge } from '../ui/Badge'
import { ButtonLink, StartLink } from '../ui/Button'
import { Phone } from '../ui/Copy'
import { Select } from '../ui/Field'
import { ErrorNotice } from '../ui/Notice'
import { Card, Empty, Page, Skeleton } from '../ui/Page'
import { messageState } from '../ui/states'
import { Time } from '../ui/Time'
import { NeedsYou } from './overview/NeedsYou'
import { TrafficChart } from './overview/TrafficChart'

const RANGE_WORDS: Record<Range, string> = {
  '24h': 'Last 24 h',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}
const CARRIERS: Record<string, string> = {
  att: 'AT&T',
  tmo: 'T-Mobile',
  other: 'Verizon and others',
}

export function Overview() {
  const { range = '24h' } = useSearch({ from: '/house/overview' })
  const navigate = useNavigate({ from: '/overview' })
  const { data, error, refetch } = useQuery(statsQuery(range))
  return (
    <Page
      title="Overview"
      actions={
        <div className="w-40">
          <Select
            aria-label="Time range"
            value={range}
            options={Object.entries(RANGE_WORDS).map(([value, label]) => ({ value, label }))}
            onChange={({ target }) =>
              void navigate({ search: { range: target.value as Range }, replace: true })
            }
          />
        </div>
      }
    >
      <div className="flex flex-col gap-4">
        <Card title="Needs you">
          <NeedsYou />
        </Card>
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <Known stats={data.stats} range={range} />
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    </Page>
  )
}

function Known({ stats, range }: { stats: MessageStats; range: Range }) {
  const { total, buckets } = stats
  if (total.outbound + total.inbound === 0) {
    return (
      <Card>
        <Empty
          title={`Nothing in the ${RANGE_WORDS[range].toLowerCase()}.`}
          actions={<StartLink>Send a text</StartLink>}
        >
          When you send a message, this page shows what happened to it.
        </Empty>
      </Card>
    )
  }
  return (
    <>
      <Figures stats={stats} />
      <Card title={stats.bucket === 'hour' ? 'Traffic by hour' : 'Traffic by day (UTC)'}>
        <TrafficChart buckets={buckets} isHourly={stats.bucket === 'hour'} />
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="By carrier">
          <ByCarrier stats={stats} />
        </Card>
        <Card title="Now">
          <Latest />
        </Card>
      </div>
    </>
  )
}

function Figures({ stats: { total } }: { stats: MessageStats }) {
  const { data } = useQuery(accountQuery)
  const { statuses, deliveryRate, errors } = total
  const failed = statuses.FAILED + statuses.EXPIRED
  return (
    <dl className="grid grid-cols-2 gap-4 lg:grid-cols-5">
      <Figure name="Sent" value={formatCount(total.outbound)} search={{ direction: 'OUTBOUND' }}>
        {statuses.SCHEDULED > 0 ? `${formatCount(statuses.SCHEDULED)} scheduled` : null}
      </Figure>
      <Figure
        name="Delivered"
        value={deliveryRate === null ? '–' : `${(deliveryRate * 100).toFixed(1)} %`}
        search={{ status: 'DELIVERED' }}
      >
        {statuses.SENT > 0
          ? `${formatCount(statuses.SENT)} without a receipt`
          : 'of those that ended'}
      </Figure>
      <Figure name="Failed" value={formatCount(failed)} search={{ status: 'FAILED' }}>
        {errors
          .slice(0, 3)
          .map(({ code, count }) => `${code} ×${count}`)
          .join('  ')}
      </Figure>
      <Figure
        name="Received"
        value={formatCount(total.inbound)}
        search={{ direction: 'INBOUND' }}
      />
      <Figure name="Balance" value={data ? floorMoney(data.account.balance) : '–'}>
        {data ? `${floorMoney(data.account.spentThisMonth)} spent this month` : null}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  name: string
  value: string
  search?: { status?: string; direction?: string }
  children?: ReactNode
}

function Figure({ name, value, search, children }: FigureProps) {
  return (
    <div className="relative rounded-lg border border-line bg-surface p-4 last:max-lg:col-span-2">
      <dt className="text-sm text-ink-2">
        {search ? (
          <Link to="/messages" search={search} className="after:absolute after:inset-0">
            {name}
          </Link>
        ) : (
          name
        )}
      </dt>
      <dd className="text-2xl font-semibold">{value}</dd>
      <dd className="min-h-5 text-sm text-ink-2">{children}</dd>
    </div>
  )
}

function ByCarrier({ stats: { groups, queue } }: { stats: MessageStats }) {
  return (
    <>
      <table className="w-full text-right">
        <thead>
          <tr className="text-xs text-ink-2">
            <th className="pb-1 text-left font-medium">Carrier</th>
            <th className="pb-1 font-medium">Sent</th>
            <th className="pb-1 font-medium">Delivered</th>
            <th className="pb-1 font-medium">Median</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ key, outbound, deliveryRate, medianDeliveryMs }) => (
            <tr key={key} className="h-10 border-t border-line">
              <td className="text-left">{CARRIERS[key] ?? key}</td>
              <td>{formatCount(outbound)}</td>
              <td>{deliveryRate === null ? '–' : `${(deliveryRate * 100).toFixed(1)} %`}</td>
              <td>{medianDeliveryMs === null ? '–' : durationWords(medianDeliveryMs / 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 text-ink-2">
        {queue.waiting === 0 || queue.oldestDueAt === null
          ? 'The queue is empty.'
          : `${plural(queue.waiting, 'message')} in the queue, the oldest for ${durationWords(
              (serviceNow().getTime() - Date.parse(queue.oldestDueAt)) / 1000,
            )}.`}
      </p>
    </>
  )
}

function Latest() {
  const { data } = useInfiniteQuery(messagesQuery({}))
  const latest = data?.pages[0]?.messages.slice(0, 8)
  if (!latest) return <Skeleton rows={4} />
  return (
    <>
      <ul>
        {latest.map((message) => (
          <li key={message.id} className="flex h-10 items-center gap-2 border-b border-line">
            <Badge state={messageState(message)} />
            <Link to="/messages" search={{ open: message.id }} className="hover:underline">
              <Phone phone={message.direction === 'INBOUND' ? message.from : message.to} />
            </Link>
            <span className="ml-auto text-sm text-ink-2">
              <Time at={message.createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <div className="mt-3">
        <ButtonLink to="/messages">All messages</ButtonLink>
      </div>
    </>
  )
}
