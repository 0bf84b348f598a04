// A moment, counted against the service's clock; local time with its zone and UTC for whoever points at it.

import { useServiceNow } from '../lib/service-time'
import { localWords, momentWords, utcWords } from '../lib/time-words'

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
