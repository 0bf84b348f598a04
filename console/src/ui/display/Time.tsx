// A time relative to the service's clock, with local time, its zone, and UTC on hover.

import {
  formatClock,
  formatDate,
  formatLocal,
  formatMoment,
  formatSince,
  formatUtc,
  formatWhen,
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

const FORMS = { alone: formatMoment, since: formatSince, when: formatWhen }

interface TimeProps {
  at: string | Date
  /** Where it stands: alone in a cell, after "since" or "until", or after a verb ("created …"). */
  form?: keyof typeof FORMS
}

export function Time({ at, form = 'alone' }: TimeProps) {
  const now = useServiceNow()
  const moment = new Date(at)
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${formatLocal(moment)}\n${formatUtc(moment)}`}
      className="whitespace-nowrap"
    >
      {FORMS[form](moment, now)}
    </time>
  )
}

/** In a list of facts about a token: expires in 40 min, expired on Nov 14 at 2:02 PM. */
export function Expiry({ at }: { at: string }) {
  const isPast = new Date(at) <= useServiceNow()
  return (
    <>
      {isPast ? 'expired' : 'expires'} <Time at={at} form="when" />
    </>
  )
}
