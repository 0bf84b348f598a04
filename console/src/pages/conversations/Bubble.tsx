// One message of a thread with its time and, if it matters, its status, and what is between messages: a new day, an
// opt-out, a note.

import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Message, OptoutChange } from '../../../generated/types.gen'
import { describeError } from '../../lib/describe-error'
import { clockOf, formatDay, formatLocal, formatUtc } from '../../lib/format-time'
import { TONE_TEXT } from '../../ui/display/Badge'
import { messageState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { MediaLink } from './MediaLink'
import { Note } from './Note'
import type { ThreadItem } from './thread-items'
import type { ThreadKey } from './use-conversation'

/** Delivered messages show no status, except the latest, so failures stand out. */
const QUIET = new Set(['DELIVERED', 'READ'])

interface ItemProps {
  item: ThreadItem
  conversation: ThreadKey
}

export function Item({ item, conversation }: ItemProps) {
  switch (item.kind) {
    case 'day':
      return (
        <li className="my-2 flex items-center gap-3 text-xs text-ink-3">
          <span aria-hidden="true" className="h-px flex-1 bg-line" />
          {formatDay(item.at)}
          <span aria-hidden="true" className="h-px flex-1 bg-line" />
        </li>
      )
    case 'change':
      return <Change change={item.change} keyword={item.keyword} />
    case 'note':
      return <Note note={item.note} conversation={conversation} />
    default:
      return <Text message={item.message} isLastOut={item.isLastOut} />
  }
}

function Change({ change, keyword }: { change: OptoutChange; keyword: string | null }) {
  const isOut = change.change === 'opted_out'
  const Icon = isOut ? Ban : CircleCheck
  return (
    <li className="my-1 flex flex-wrap items-center justify-center gap-x-1.5 text-center text-sm text-ink-2">
      <Icon
        size={14}
        aria-hidden="true"
        className={`shrink-0 ${TONE_TEXT[isOut ? 'bad' : 'ok']}`}
      />
      {keyword ? `Keyword ${keyword}` : describeSource(change.source)} →{' '}
      {isOut ? 'opted out of this campaign' : 'can receive messages again'}
      {change.reason ? <span className="wrap-anywhere">“{change.reason}”</span> : null}
    </li>
  )
}

export function describeSource(source: string): string {
  const words: Record<string, string> = {
    keyword: 'By keyword',
    api: 'Recorded by you',
    operator: 'Recorded by the operator',
    campaign_end: 'Moved from a campaign that ended',
  }
  return words[source] ?? source
}

function Text({ message, isLastOut }: { message: Message; isLastOut: boolean }) {
  const isOut = message.direction === 'OUTBOUND'
  return (
    <li
      className={`flex max-w-[85%] flex-col gap-0.5 ${isOut ? 'items-end self-end' : 'items-start self-start'}`}
    >
      <BubbleBody isOut={isOut} body={message.body} urls={message.mediaUrls} />
      <p
        className={`flex flex-wrap items-center gap-x-1.5 text-xs text-ink-3 ${isOut ? 'justify-end' : ''}`}
      >
        {message.automatic ? <span>Automatic reply to {message.automatic} · free</span> : null}
        <SentAt message={message} />
        {isOut && (isLastOut || !QUIET.has(message.status)) ? <Outcome message={message} /> : null}
      </p>
    </li>
  )
}

interface BubbleProps {
  isOut: boolean
  body: string
  urls?: readonly string[]
}

export function BubbleBody({ isOut, body, urls = [] }: BubbleProps) {
  const files = urls.filter((url) => /^https?:/.test(url))
  return (
    <div
      className={`max-w-full rounded-lg px-3 py-1.5 wrap-anywhere whitespace-pre-wrap ${
        isOut ? 'bg-bubble-out text-on-bubble-out' : 'bg-bubble-in text-ink'
      }`}
    >
      <p dir="auto">{body || (files.length > 0 ? null : <em>No text</em>)}</p>
      {files.map((url) => (
        <MediaLink key={url} url={url} />
      ))}
    </div>
  )
}

function SentAt({ message: { id, createdAt } }: { message: Message }) {
  const at = new Date(createdAt)
  return (
    <Link
      to="/messages/$id"
      params={{ id }}
      aria-label={`Message at ${clockOf(at)}`}
      className="hover:underline"
    >
      <time dateTime={createdAt} title={`${formatLocal(at)}\n${formatUtc(at)}`}>
        {clockOf(at)}
      </time>
    </Link>
  )
}

function Outcome({ message }: { message: Message }): ReactNode {
  const { icon: Icon, tone, word } = messageState(message)
  const { errorCode, errorMessage, scheduledAt, status } = message
  return (
    <>
      <span className={`inline-flex items-center gap-1 font-medium ${TONE_TEXT[tone]}`}>
        <Icon size={14} aria-hidden="true" className="shrink-0" />
        {word}
      </span>
      {status === 'SCHEDULED' && scheduledAt ? (
        <span>
          · <Time at={scheduledAt} form="since" />
        </span>
      ) : null}
      {errorCode !== null ? (
        <>
          <span className="text-ink-2">
            {describeError(errorCode)?.headline ?? errorMessage ?? `Error ${errorCode}`}
          </span>
          <Link
            to="/messages/$id"
            params={{ id: message.id }}
            className="text-accent-ink underline"
          >
            Why?
          </Link>
        </>
      ) : null}
    </>
  )
}
