// A time relative to the service's clock, with local time, its zone, and UTC on hover.

import {
  formatClock,
  formatDate,
  formatLocal,
  formatMoment,
  formatUtc,
} from '../../lib/format-time'
import { useServiceNow } from '../../lib/service-time'

/** To the second, for ledger rows: Nov 15, 2:02:11 PM. */
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
