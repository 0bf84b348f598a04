// Live events while the page is open, newest first.

import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type LiveEvent, onLiveEvent } from '../../api/stream'
import { describeEvent, type EventDescription } from '../../lib/describe-event'
import { formatClock } from '../../lib/format-time'
import { serviceNow } from '../../lib/service-time'
import { TONE_TEXT } from '../../ui/display/Badge'

const KEPT = 12

interface LoggedEvent extends EventDescription {
  key: string
  at: Date
  messageId: string | null
}

export function EventLog() {
  const loggedEvents = useEventLog()
  if (loggedEvents.length === 0) {
    return <p className="text-ink-2">Reply from a phone, or send a message to one.</p>
  }
  return (
    <ol aria-live="polite" className="flex flex-col gap-1.5">
      {loggedEvents.map(({ key, at, icon: Icon, tone, text, messageId }) => (
        <li key={key} className="flex animate-arrive items-start gap-2 rounded-sm">
          <time dateTime={at.toISOString()} className="text-sm text-ink-3">
            {formatClock(at)}
          </time>
          <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${TONE_TEXT[tone]}`} />
          <span className="min-w-0 wrap-anywhere">
            {messageId ? (
              <Link to="/messages/$id" params={{ id: messageId }} className="hover:underline">
                {unbroken(text)}
              </Link>
            ) : (
              unbroken(text)
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Word joiners keep a phone number from breaking at its hyphen. */
function unbroken(text: string): string {
  return text.replace(/(\d{3})-(\d{4})/g, '$1\u2060-\u2060$2')
}

function useEventLog(): LoggedEvent[] {
  const [list, setList] = useState<LoggedEvent[]>([])
  useEffect(() => {
    let count = 0
    return onLiveEvent((event: LiveEvent) => {
      const words = describeEvent(event)
      if (!words) return
      count += 1
      const loggedEvent = {
        ...words,
        key: event.id ?? `state-${count}`,
        at: serviceNow(),
        messageId: event.data.message?.id ?? null,
      }
      setList((previous) => [loggedEvent, ...previous].slice(0, KEPT))
    })
  }, [])
  return list
}
