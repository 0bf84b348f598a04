// A moment, counted against the service's clock; local time with its zone and UTC for whoever points at it.

import { formatClock, formatDate, formatLocal, formatMoment, formatUtc } from '../lib/format-time'
import { useServiceNow } from '../lib/service-time'

/** To the second, for rows of a book: 15 Nov, 14:02:11. */
export function Stamp({ at }: { at: string | Date }) {
  const moment = new Date(at)
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${formatLocal(moment)}\n${formatUtc(moment)}`}
      className="whitespace-nowrap"
    >
      {formatDate(moment)}, {formatClock(moment)}
    </time>
  )
}

export function Time({ at }: { at: string | Date }) {
  const now = useServiceNow()
  const moment = new Date(at)
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${formatLocal(moment)}\n${formatUtc(moment)}`}
      className="whitespace-nowrap"
    >
      {formatMoment(moment, now)}
    </time>
  )
}
