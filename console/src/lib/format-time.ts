// Times and durations in American formats.

import { serviceNow } from './service-time'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
const clockSeconds = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium' })
const clockExact = new Intl.DateTimeFormat('en-US', {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const day = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short' })
const dayYear = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const weekday = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
})
const whole = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

/** now, 42 sec ago, 12 min ago, 2:02 PM (today), Nov 14, 2:02 PM. */
export function formatMoment(moment: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - moment.getTime()) / 1000)
  if (seconds >= -2 && seconds < 10) return 'now'
  if (seconds >= 0 && seconds < MINUTE) return `${seconds} sec ago`
  if (seconds >= 0 && seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`
  if (seconds < 0 && seconds > -HOUR) return `in ${formatDuration(-seconds)}`
  return formatSince(moment, now)
}

/** After a verb, as in "created …" or "expires …": just now, 5 min ago, in 40 min, at 2:02 PM, on Nov 14 at 2:02 PM. */
export function formatWhen(moment: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - moment.getTime()) / 1000)
  if (Math.abs(seconds) < HOUR) return formatMoment(moment, now).replace(/^now$/, 'just now')
  const time = clock.format(moment)
  if (moment.toDateString() === now.toDateString()) return `at ${time}`
  return `on ${formatDate(moment, now)} at ${time}`
}

/** After "since", "until", or "from", however near it is: 2:02 PM (today), Nov 14, 2:02 PM. */
export function formatSince(moment: Date, now: Date): string {
  if (moment.toDateString() === now.toDateString()) return clock.format(moment)
  const date = moment.getFullYear() === now.getFullYear() ? day : dayYear
  return `${date.format(moment)}, ${clock.format(moment)}`
}

/** 4 sec, 12 min, 17 hr 58 min, 8 days. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} sec`
  if (seconds < MINUTE) return `${Math.round(seconds)} sec`
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) {
    const minutes = Math.round((seconds % HOUR) / MINUTE)
    const hours = Math.floor(seconds / HOUR) + (minutes === 60 ? 1 : 0)
    return minutes % 60 === 0 ? `${hours} hr` : `${hours} hr ${minutes} min`
  }
  return `${Math.round(seconds / DAY)} days`
}

/** 2:02:31.204 PM */
export function formatExact(moment: Date): string {
  return clockExact.format(moment)
}

/** 2:02 PM */
export function clockOf(moment: Date): string {
  return clock.format(moment)
}

/** Nov 14, 2:02 PM */
export function momentOf(moment: Date): string {
  return `${day.format(moment)}, ${clock.format(moment)}`
}

/** Sun, Nov 15 */
export function formatDay(moment: Date): string {
  return weekday.format(moment)
}

export function formatClock(moment: Date): string {
  return clockSeconds.format(moment)
}

/** Dec 2. Other years include the year. */
export function formatDate(moment: Date, now = serviceNow()): string {
  return (moment.getFullYear() === now.getFullYear() ? day : dayYear).format(moment)
}

/** In the reader's time zone, with its name. */
export function formatLocal(moment: Date): string {
  return whole.format(moment)
}

/** 2026-11-15 14:02:31.204 UTC */
export function formatUtc(moment: Date): string {
  return `${moment.toISOString().replace('T', ' ').replace('Z', '')} UTC`
}
