// Overview: whether everything is OK, and what needs attention. Every number names its time range and links to its
// messages.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MessageStats } from '../../generated/types.gen'
import { accountQuery, messagesQuery, RANGES, type Range, statsQuery } from '../api/queries'
import { rateTone } from '../lib/attention'
import { CARRIER_NAMES } from '../lib/carrier-names'
import { describeError } from '../lib/describe-error'
import { floorMoney, formatCount, plural } from '../lib/format'
import { formatDuration } from '../lib/format-time'
import { serviceNow } from '../lib/service-time'
import { describePace, useOutlook } from '../lib/use-outlook'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge, TONE_TEXT } from '../ui/display/Badge'
import { messageState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink, StartLink } from '../ui/inputs/Button'
import { Phone } from '../ui/inputs/Copy'
import { Select } from '../ui/inputs/Field'
import { Card, Empty, Page, Skeleton } from '../ui/layout/Page'
import { NeedsAttention } from './overview/NeedsAttention'
import { TrafficChart } from './overview/TrafficChart'

const RANGE_WORDS: Record<Range, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

export function Overview() {
  const { range = '24h' } = useSearch({ from: '/shell/overview' })
  const navigate = useNavigate({ from: '/overview' })
  const { data, error, refetch } = useQuery(statsQuery(range))
  return (
    <Page
      title="Overview"
      actions={
        <>
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
          <ApiRequestButton request={callOf(range)} />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Card title="Needs attention">
          <NeedsAttention />
        </Card>
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <Statistics stats={data.stats} range={range} />
        ) : (
          <Skeleton rows={8} />
        )}
      </div>
    </Page>
  )
}

function Statistics({ stats, range }: { stats: MessageStats; range: Range }) {
  const { total, buckets } = stats
  if (total.outbound + total.inbound === 0) {
    return (
      <Card>
        <Empty
          title={`No messages in the ${RANGE_WORDS[range].toLowerCase()}`}
          actions={<StartLink>Send message</StartLink>}
        >
          Messages you send or receive appear here.
        </Empty>
      </Card>
    )
  }
  return (
    <>
      <Figures stats={stats} range={range} />
      <Card title={stats.bucket === 'hour' ? 'Traffic by hour' : 'Traffic by day (UTC)'}>
        <TrafficChart buckets={buckets} isHourly={stats.bucket === 'hour'} />
      </Card>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="By carrier">
          <ByCarrier stats={stats} />
        </Card>
        <Card title="Latest messages">
          <Latest />
        </Card>
      </div>
    </>
  )
}

function callOf(range: Range) {
  const { bucket, ms } = RANGES[range]
  const to = serviceNow().getTime()
  const iso = (at: number) => new Date(at).toISOString()
  const query = { bucket, by: 'carrier', from: iso(to - ms), to: iso(to) }
  return { method: 'GET' as const, path: '/v1/stats/messages', query }
}

function Figures({ stats: { total }, range }: { stats: MessageStats; range: Range }) {
  const { data } = useQuery(accountQuery)
  const before = useQuery(statsQuery(range, 1)).data?.stats.total
  const outlook = useOutlook()
  const { statuses, deliveryRate, errors } = total
  const failed = statuses.FAILED + statuses.EXPIRED
  const ended = failed + statuses.DELIVERED + statuses.READ
  const open = total.outbound - ended
  return (
    <dl className="grid grid-cols-2 gap-4 lg:grid-cols-5">
      <Figure
        name="Sent"
        value={formatCount(total.outbound)}
        link={{ to: '/messages', search: { direction: 'OUTBOUND' } }}
      >
        {before ? compareText(total.outbound, before.outbound, range) : null}
      </Figure>
      <Figure
        name="Delivered"
        value={deliveryRate === null ? '–' : <Rate rate={deliveryRate} />}
        link={{ to: '/messages', search: { status: 'DELIVERED' } }}
      >
        {formatCount(ended)} finished{open > 0 ? `, ${formatCount(open)} in progress` : ''}
      </Figure>
      <Figure
        name="Failed"
        value={formatCount(failed)}
        link={{ to: '/messages', search: { status: 'FAILED' } }}
      >
        {errors
          .slice(0, 3)
          .map(
            ({ code, count }) =>
              `${describeError(code)?.name ?? `error ${code}`}: ${formatCount(count)}`,
          )
          .join(', ')}
      </Figure>
      <Figure
        name="Received"
        value={formatCount(total.inbound)}
        link={{ to: '/messages', search: { direction: 'INBOUND' } }}
      >
        {before ? compareText(total.inbound, before.inbound, range) : null}
      </Figure>
      <Figure
        name="Balance"
        value={data ? floorMoney(data.account.balance) : '–'}
        link={{ to: '/billing' }}
      >
        {outlook ? `Time left at this pace: ${describePace(outlook)}` : null}
      </Figure>
    </dl>
  )
}

/** up 8% from the previous 24 hours, or a plain comparison if there is nothing to divide by. */
function compareText(now: number, before: number, range: Range): string {
  const window = RANGE_WORDS[range].replace('Last', 'previous')
  if (before === 0) return `none in the ${window}`
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return `same as the ${window}`
  return `${percent > 0 ? 'up' : 'down'} ${Math.abs(percent)}% from the ${window}`
}

interface FigureProps {
  name: string
  value: ReactNode
  link: LinkProps
  children?: ReactNode
}

function Figure({ name, value, link, children }: FigureProps) {
  return (
    <div className="relative rounded-lg border border-line bg-surface p-4 last:max-lg:col-span-2">
      <dt className="text-sm text-ink-2">
        <Link {...link} className="after:absolute after:inset-0">
          {name}
        </Link>
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
            <th className="pb-1 font-medium">Median time</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ key, outbound, deliveryRate, medianDeliveryMs }) => (
            <tr key={key} className="h-10 border-t border-line">
              <td className="text-left">{CARRIER_NAMES[key] ?? key}</td>
              <td>{formatCount(outbound)}</td>
              <td>
                <Share share={deliveryRate} />
              </td>
              <td>{medianDeliveryMs === null ? '–' : formatDuration(medianDeliveryMs / 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 text-ink-2">
        {queue.waiting === 0 || queue.oldestDueAt === null
          ? 'No messages in the queue.'
          : `${plural(queue.waiting, 'message')} in the queue, oldest: ${formatDuration(
              (serviceNow().getTime() - Date.parse(queue.oldestDueAt)) / 1000,
            )}.`}
      </p>
    </>
  )
}

const BAR_TONES = { ok: 'bg-ok-solid', warn: 'bg-warn-solid', bad: 'bg-bad-solid' }

/** A percentage with a bar behind it, so carriers compare down the column. */
function Share({ share }: { share: number | null }) {
  if (share === null) return '–'
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden="true" className="flex h-2 w-16 rounded-sm bg-hover max-sm:hidden">
        <span
          className={`rounded-sm ${BAR_TONES[rateTone(share)]}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="flex min-w-17 justify-end">
        <Rate rate={share} />
      </span>
    </span>
  )
}

/** A low rate has a sign and a word, too: color alone does not reach everyone. */
function Rate({ rate }: { rate: number }) {
  const tone = rateTone(rate)
  const text = `${(rate * 100).toFixed(1)}%`
  if (tone === 'ok') return text
  return (
    <span className={`inline-flex items-center gap-1 ${TONE_TEXT[tone]}`}>
      <TriangleAlert size={14} aria-hidden="true" className="shrink-0" />
      {text}
      <span className="sr-only"> (low)</span>
    </span>
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
