// Whether the page is live, as a small indicator. If the connection is lost, it shows since when and when it
// reconnects.

import { useEffect, useState } from 'react'
import { useMay } from '../../api/session'
import { retryStream, useStreamState } from '../../api/stream'
import { plural } from '../../lib/format'
import { formatClock } from '../../lib/format-time'
import { Button } from '../inputs/Button'

const BACK_SHOWN_MS = 6_000

export function LiveBadge() {
  const { kind } = useStreamState()
  const isFollowed = useMay('read')
  if (!isFollowed) return null
  const words = { live: 'Live', connecting: 'Connecting', lost: 'Not live' }[kind]
  const dot = { live: 'bg-ok-solid', connecting: 'bg-wait-solid', lost: 'bg-warn-solid' }[kind]
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-ink-2">
      <span className={`size-2 rounded-full ${dot}`} aria-hidden="true" />
      {words}
    </span>
  )
}

export function ConnectionNotice() {
  const { kind, lostAt, retryAt, caughtUp, resumedAt } = useStreamState()
  const now = useTicks(kind === 'lost' || resumedAt !== null)
  if (kind === 'lost' && lostAt !== null && now - lostAt > 1_500) {
    const inS = Math.max(0, Math.ceil(((retryAt ?? now) - now) / 1000))
    return (
      <div
        role="status"
        className="flex flex-wrap items-center gap-2 bg-warn-soft px-4 py-2 text-warn-ink sm:px-6"
      >
        <strong className="font-semibold">Connection lost.</strong>
        <span>
          Data as of {formatClock(new Date(lostAt))}. Reconnecting in {inS} seconds.
        </span>
        <Button onClick={retryStream}>Reconnect now</Button>
      </div>
    )
  }
  if (resumedAt === null || now - resumedAt > BACK_SHOWN_MS) return null
  return (
    <p role="status" className="bg-ok-soft px-4 py-2 text-ok-ink sm:px-6">
      {caughtUp === null
        ? 'Reconnected. Some changes may be missing.'
        : `Reconnected. ${plural(caughtUp, 'change')} loaded.`}
    </p>
  )
}

/** The browser's clock, every half second while it is visible. */
function useTicks(isOn: boolean): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [isOn])
  return now
}
