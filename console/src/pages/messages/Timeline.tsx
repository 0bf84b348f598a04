// The timeline of a message: each step with its reason, long waits drawn as gaps, and the webhooks that were
// notified.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  Check,
  CircleDashed,
  CircleHelp,
  CornerDownRight,
  Gauge,
  type LucideIcon,
  RotateCw,
  Unplug,
} from 'lucide-react'
import { useState } from 'react'
import type { Message, TimelineEntry } from '../../../generated/types.gen'
import { timelineQuery } from '../../api/queries'
import { formatDuration, formatExact, formatLocal, formatUtc } from '../../lib/format-time'
import { TONE_TEXT } from '../../ui/display/Badge'
import { messageState, messageStatusState, type Tone } from '../../ui/display/states'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Skeleton } from '../../ui/layout/Page'
import { type Notification, notificationsQuery } from './notified-queries'

/** Longer waits are drawn, so the slow part stands out. */
const GAP_S = 1

export function Timeline({ message }: { message: Message }) {
  const { data, error, refetch } = useQuery(timelineQuery(message.id))
  const { data: notifications } = useQuery(notificationsQuery(message))
  const [isUtc, setUtc] = useState(false)
  const entries = data?.timeline ?? []
  const first = entries[0]
  const last = entries.at(-1)
  const totalS = first && last ? (Date.parse(last.at) - Date.parse(first.at)) / 1000 : 0
  return (
    <section>
      <div className="mb-2 flex items-center gap-3">
        <h2 className="font-semibold">Timeline</h2>
        {totalS >= 0.1 ? (
          <span className="text-sm text-ink-2">Total {formatDuration(totalS)}</span>
        ) : null}
        <button
          type="button"
          onClick={() => setUtc(!isUtc)}
          aria-pressed={isUtc}
          className="ml-auto min-h-6 cursor-pointer rounded-sm px-1.5 text-xs text-ink-2 underline hover:bg-hover pointer-coarse:min-h-11"
        >
          {isUtc ? 'UTC' : 'Local time'}
        </button>
      </div>
      {error ? (
        <ErrorNotice
          error={error}
          hint="The timeline could not be loaded."
          onRetry={() => void refetch()}
        />
      ) : data ? (
        <ol aria-live="polite" className="flex flex-col">
          {entries.map((entry, i) => (
            <Entry
              key={`${entry.at} ${entry.text}`}
              entry={entry}
              message={message}
              before={entries[i - 1]}
              notifications={notificationsBetween(notifications ?? [], entry, entries[i + 1])}
              isUtc={isUtc}
            />
          ))}
        </ol>
      ) : (
        <Skeleton rows={3} height={28} />
      )}
    </section>
  )
}

/** An event belongs to the step that caused it. */
function notificationsBetween(
  notifications: readonly Notification[],
  entry: TimelineEntry,
  next: TimelineEntry | undefined,
): Notification[] {
  return notifications.filter(({ at }) => at >= entry.at && (next === undefined || at < next.at))
}

interface EntryProps {
  entry: TimelineEntry
  message: Message
  before: TimelineEntry | undefined
  notifications: readonly Notification[]
  isUtc: boolean
}

function Entry({ entry, message, before, notifications, isUtc }: EntryProps) {
  const at = new Date(entry.at)
  const waitS = before ? (at.getTime() - Date.parse(before.at)) / 1000 : 0
  const { icon: Icon, tone } = lookOf(entry.kind, message)
  return (
    <li>
      {waitS >= GAP_S ? (
        <p className="ml-1 border-l-2 border-dotted border-line-strong py-1 pl-3 text-sm text-ink-3">
          {formatDuration(waitS)}
        </p>
      ) : null}
      <div className="flex gap-2 py-0.5">
        <time
          dateTime={entry.at}
          title={`${formatLocal(at)}\n${formatUtc(at)}`}
          className="w-28 shrink-0 whitespace-nowrap text-sm text-ink-3"
        >
          {isUtc ? entry.at.slice(11, 23) : formatExact(at)}
        </time>
        <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${TONE_TEXT[tone]}`} />
        <span className="min-w-0 wrap-anywhere">{entry.text}</span>
      </div>
      {notifications.map((one) => (
        <NotificationLine key={one.deliveryId} notification={one} />
      ))}
    </li>
  )
}

function NotificationLine({ notification }: { notification: Notification }) {
  const { eventType, webhook, outcome, tone, webhookId, deliveryId } = notification
  return (
    <p className="ml-30 flex items-start gap-1.5 py-0.5 text-sm text-ink-2">
      <CornerDownRight size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {eventType} → webhook{' '}
        <Link
          to="/webhooks/$id/deliveries/$deliveryId"
          params={{ id: webhookId, deliveryId }}
          className="text-accent-ink underline"
        >
          {webhook}
        </Link>{' '}
        <span className={`font-medium ${TONE_TEXT[tone]}`}>{outcome}</span>
      </span>
    </p>
  )
}

const LOOKS: Record<string, { icon: LucideIcon; tone: Tone }> = {
  slow: { icon: RotateCw, tone: 'warn' },
  unclear: { icon: RotateCw, tone: 'warn' },
  unknown: { icon: CircleHelp, tone: 'warn' },
  settled: { icon: CircleHelp, tone: 'warn' },
  repeated: { icon: RotateCw, tone: 'warn' },
  refused: { icon: RotateCw, tone: 'warn' },
  late: { icon: Check, tone: 'ok' },
  waited: { icon: Gauge, tone: 'warn' },
  outage: { icon: Unplug, tone: 'warn' },
  stale: { icon: CircleDashed, tone: 'wait' },
}

function lookOf(kind: string, message: Message): { icon: LucideIcon; tone: Tone } {
  if (kind === 'created' && message.direction === 'INBOUND') return messageState(message)
  return LOOKS[kind] ?? messageStatusState(kind.toUpperCase())
}
