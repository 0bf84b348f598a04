// One message: its state and the reason for it, its text, what it cost, and what happened when.

import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { Message, TimelineEntry } from '../../../generated/types.gen'
import { errorsQuery, messageQuery, timelineQuery } from '../../api/queries'
import { errorWords } from '../../lib/error-words'
import { formatMoney, formatPhone, plural } from '../../lib/format'
import { durationWords, exactWords, localWords, utcWords } from '../../lib/time-words'
import { Badge } from '../../ui/Badge'
import { Id, Phone } from '../../ui/Copy'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Skeleton } from '../../ui/Page'
import { messageState } from '../../ui/states'
import { Time } from '../../ui/Time'

export function MessageDetail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(messageQuery(id))
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={8} height={28} />
  return <Known message={data.message} />
}

function Known({ message }: { message: Message }) {
  const isInbound = message.direction === 'INBOUND'
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge state={messageState(message)} />
        <span>
          {isInbound ? 'from ' : 'to '}
          <Phone phone={isInbound ? message.from : message.to} />
        </span>
      </div>
      <Id id={message.id} />
      <Reason message={message} />
      <p
        dir="auto"
        className={`max-w-full self-start rounded-lg px-3 py-2 wrap-anywhere whitespace-pre-wrap ${isInbound ? 'bg-bubble-in' : 'bg-bubble-out text-on-bubble-out'}`}
      >
        {message.body || <em>no text</em>}
      </p>
      <Facts message={message} />
      <section>
        <h2 className="mb-2 font-semibold">What happened</h2>
        <Timeline id={message.id} />
      </section>
    </div>
  )
}

function Reason({ message }: { message: Message }) {
  const { errorCode, errorMessage } = message
  const { data } = useQuery({ ...errorsQuery, enabled: errorCode !== null })
  if (errorCode === null) return null
  const words = errorWords(errorCode)
  const known = data?.errors.find(({ code }) => code === errorCode)
  return (
    <Notice tone="bad" title={words?.headline ?? errorMessage ?? `Error ${errorCode}`}>
      {known ? <p>{known.charged ? 'Charged: the carrier took it.' : 'Not charged.'}</p> : null}
      {words ? <p>{words.remedy}</p> : null}
      {words && errorMessage && !isSame(words.headline, errorMessage) ? (
        <p className="text-sm">{errorMessage}</p>
      ) : null}
    </Notice>
  )
}

/** Two sentences that differ in an article are one too many. */
function isSame(one: string, other: string): boolean {
  const words = (text: string) => new Set(text.toLowerCase().match(/[a-z]{4,}/g))
  const [a, b] = [words(one), words(other)]
  return [...a].filter((word) => b.has(word)).length >= a.size / 2
}

function Facts({ message }: { message: Message }) {
  const { direction, type, numSegments, price, from, to, mediaUrls, metadata, automatic } = message
  const ours = direction === 'INBOUND' ? to : from
  const size = type === 'MMS' ? 'MMS' : `SMS, ${plural(numSegments, 'segment')}`
  const facts: [string, React.ReactNode][] = [
    ['Your number', formatPhone(ours)],
    ['Size', size],
    ['Price', price === 0 ? 'free' : formatMoney(price)],
    ['Created', <Time key="created" at={message.createdAt} />],
  ]
  if (message.scheduledAt) facts.push(['Due', <Time key="due" at={message.scheduledAt} />])
  if (automatic) facts.push(['Reply to', `the keyword ${automatic}`])
  if (mediaUrls.length > 0) facts.push(['Media', plural(mediaUrls.length, 'file')])
  const pairs = Object.entries(metadata)
  for (const [name, value] of pairs) facts.push([name, value])
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="truncate text-ink-2">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

/** Longer than that, a wait is drawn, so that the eye finds the slow part. */
const GAP_S = 1

function Timeline({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(timelineQuery(id))
  if (error) {
    return (
      <ErrorNotice
        error={error}
        hint="The timeline could not be loaded. The message itself is above."
        onRetry={() => void refetch()}
      />
    )
  }
  if (!data) return <Skeleton rows={3} height={28} />
  return (
    <ol aria-live="polite" className="flex flex-col">
      {data.timeline.map((entry, i) => (
        <Entry key={`${entry.at} ${entry.text}`} entry={entry} before={data.timeline[i - 1]} />
      ))}
    </ol>
  )
}

function Entry({ entry, before }: { entry: TimelineEntry; before: TimelineEntry | undefined }) {
  const at = new Date(entry.at)
  const waitS = before ? (at.getTime() - Date.parse(before.at)) / 1000 : 0
  return (
    <li>
      {waitS >= GAP_S ? (
        <p className="ml-1 border-l-2 border-dotted border-line-strong py-1 pl-3 text-sm text-ink-3">
          {durationWords(waitS)}
        </p>
      ) : null}
      <div className="flex gap-3 py-0.5">
        <time
          dateTime={entry.at}
          title={`${localWords(at)}\n${utcWords(at)}`}
          className="shrink-0 text-sm text-ink-3"
        >
          {exactWords(at)}
        </time>
        <span className="min-w-0 wrap-anywhere">{entry.text}</span>
      </div>
    </li>
  )
}
