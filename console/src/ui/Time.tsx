// A moment, counted against the service's clock; local time with its zone and UTC for whoever points at it.

import { useServiceNow } from '../lib/service-time'
import { clockWords, dateWords, localWords, momentWords, utcWords } from '../lib/time-words'

/** To the second, for rows of a book: 15 Nov, 14:02:11. */
export function Stamp({ at }: { at: string | Date }) {
  const moment = new Date(at)
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${localWords(moment)}\n${utcWords(moment)}`}
      className="whitespace-nowrap"
    >
      {dateWords(moment)}, {clockWords(moment)}
    </time>
  )
}

export function Time({ at }: { at: string | Date }) {
  const now = useServiceNow()
  const moment = new Date(at)
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${localWords(moment)}\n${utcWords(moment)}`}
      className="whitespace-nowrap"
    >
      {momentWords(moment, now)}
    </time>
  )
}
