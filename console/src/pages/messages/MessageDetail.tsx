// One message: its status and reason, text, cost, and timeline.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Message } from '../../../generated/types.gen'
import { campaignsQuery, type MessageSearch, messageQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { describeError } from '../../lib/describe-error'
import { describePrice } from '../../lib/describe-price'
import { formatPhone, plural } from '../../lib/format'
import { carrierOf } from '../../lib/sandbox'
import { countCharacters } from '../../lib/text-meter'
import { Badge } from '../../ui/display/Badge'
import { messageState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { CopyButton, Id } from '../../ui/inputs/Copy'
import { Skeleton } from '../../ui/layout/Page'
import { MessageActions } from './MessageActions'
import { Timeline } from './Timeline'

interface DetailProps {
  id: string
  /** The row from the list, shown at once. */
  initial?: Message | undefined
}

export function MessageDetail({ id, initial }: DetailProps) {
  const { data, error, refetch } = useQuery(messageQuery(id))
  const message = data?.message ?? initial
  if (message) return <MessageView message={message} />
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return <Skeleton rows={8} height={28} />
}

function MessageView({ message }: { message: Message }) {
  const { mode } = useSession()
  const isInbound = message.direction === 'INBOUND'
  const other = isInbound ? message.from : message.to
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge state={messageState(message)} />
        <span className="inline-flex items-center gap-1">
          {isInbound ? 'from ' : 'to '}
          <Only filter={{ number: other }} what={`messages with ${formatPhone(other)}`}>
            {formatPhone(other)}
          </Only>
          <CopyButton text={other} label={formatPhone(other)} />
        </span>
        {mode === 'sandbox' ? <span className="text-ink-2">{carrierOf(other)}</span> : null}
      </div>
      <Id id={message.id} />
      <Reason message={message} />
      <p
        dir="auto"
        className={`max-w-full self-start rounded-lg px-3 py-2 wrap-anywhere whitespace-pre-wrap ${isInbound ? 'bg-bubble-in' : 'bg-bubble-out text-on-bubble-out'}`}
      >
        {message.body || <em>No text</em>}
      </p>
      <Facts message={message} />
      <Timeline message={message} />
      <MessageActions message={message} />
    </div>
  )
}

/** A value that links to all messages that share it. */
function Only({
  filter,
  what,
  children,
}: {
  filter: MessageSearch
  what: string
  children: ReactNode
}) {
  return (
    <Link
      to="/messages"
      search={filter}
      title={`Show only ${what}`}
      className="text-accent-ink underline decoration-dotted underline-offset-2 hover:decoration-solid"
    >
      {children}
    </Link>
  )
}

/** Where to fix the problem. */
const OF_CAMPAIGN: Record<number, string> = {
  1320: 'View campaign limits',
  1340: 'View campaign',
  1370: 'Compare with approved samples',
}

function Reason({ message }: { message: Message }) {
  const { errorCode, errorMessage } = message
  if (errorCode === null) return null
  const words = describeError(errorCode)
  return (
    <Notice tone="bad" title={words?.headline ?? errorMessage ?? `Error ${errorCode}`}>
      <p>{message.price > 0 ? 'Charged, because the carrier accepted it.' : 'Refunded.'}</p>
      {words ? <p>{words.remedy}</p> : null}
      {words && errorMessage && !isSame(words.headline, errorMessage) ? (
        <p className="text-sm">{errorMessage}</p>
      ) : null}
      <p className="flex flex-wrap gap-x-3 text-sm">
        {OF_CAMPAIGN[errorCode] ? (
          <Link
            to="/campaigns/$id"
            params={{ id: message.campaignId }}
            className="text-accent-ink underline"
          >
            {OF_CAMPAIGN[errorCode]}
          </Link>
        ) : null}
        <Only filter={{ errorCode }} what={`messages with error ${errorCode}`}>
          All messages with error {errorCode}
        </Only>
      </p>
    </Notice>
  )
}

/** Hides the API's sentence if it only repeats the headline. */
function isSame(one: string, other: string): boolean {
  const words = (text: string) => new Set(text.toLowerCase().match(/[a-z]{4,}/g))
  const [a, b] = [words(one), words(other)]
  return [...a].filter((word) => b.has(word)).length >= a.size / 2
}

function Facts({ message }: { message: Message }) {
  const { data } = useQuery(campaignsQuery)
  const { direction, type, numSegments, from, to, mediaUrls, metadata, automatic } = message
  const ours = direction === 'INBOUND' ? to : from
  const characters = plural(countCharacters(message.body), 'character')
  const size = type === 'MMS' ? 'MMS' : `SMS, ${plural(numSegments, 'segment')}`
  const { campaignId } = message
  const campaign = data?.campaigns.find(({ id }) => id === campaignId)?.displayName || campaignId
  const facts: [string, ReactNode][] = [
    [
      'Campaign',
      <Only key="campaign" filter={{ campaign: campaignId }} what={`messages in ${campaign}`}>
        {campaign}
      </Only>,
    ],
    ['Your number', formatPhone(ours)],
    ['Size', `${size}, ${characters}`],
    ['Price', describePrice(message)],
    ['Created', <Time key="created" at={message.createdAt} />],
  ]
  if (message.scheduledAt)
    facts.push(['Scheduled for', <Time key="due" at={message.scheduledAt} form="since" />])
  if (automatic) facts.push(['Automatic reply to', automatic])
  if (mediaUrls.length > 0) facts.push(['Media', plural(mediaUrls.length, 'file')])
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="truncate text-ink-2">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </Fragment>
      ))}
      {Object.entries(metadata).map(([name, value]) => (
        <Fragment key={`metadata ${name}`}>
          <dt className="truncate text-ink-2" title={name}>
            {name}
          </dt>
          <dd className="wrap-anywhere" dir="auto">
            {value}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
