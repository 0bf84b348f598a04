// Moments and durations in words.

import { serviceNow } from './service-time'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const weekday = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
})
const whole = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})

/** now, 42 s ago, 12 min ago, 14:02 (today), 14 Nov, 14:02. */
export function formatMoment(moment: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - moment.getTime()) / 1000)
  if (seconds >= -2 && seconds < 10) return 'now'
  if (seconds >= 0 && seconds < MINUTE) return `${seconds} s ago`
  if (seconds >= 0 && seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`
  if (seconds < 0 && seconds > -HOUR) return `in ${formatDuration(-seconds)}`
  return formatSince(moment, now)
}

/** When something began, however long ago: 14:02 (today), 14 Nov, 14:02. */
export function formatSince(moment: Date, now: Date): string {
  if (moment.toDateString() === now.toDateString()) return clock.format(moment)
  const date = moment.getFullYear() === now.getFullYear() ? day : dayYear
  return `${date.format(moment)}, ${clock.format(moment)}`
}

/** 4 s, 12 min, 17 h 58 min, 8 days. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`
  if (seconds < MINUTE) return `${Math.round(seconds)} s`
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) {
    const minutes = Math.round((seconds % HOUR) / MINUTE)
    const hours = Math.floor(seconds / HOUR) + (minutes === 60 ? 1 : 0)
    return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes} min`
  }
  return `${Math.round(seconds / DAY)} days`
}

/** 14:02:31.204 */
export function formatExact(moment: Date): string {
  return `${clockSeconds.format(moment)}.${String(moment.getMilliseconds()).padStart(3, '0')}`
}

/** 14:02 */
export function clockOf(moment: Date): string {
  return clock.format(moment)
}

/** 14 Nov, 14:02 */
export function momentOf(moment: Date): string {
  return `${day.format(moment)}, ${clock.format(moment)}`
}

/** Sun 15 Nov */
export function formatDay(moment: Date): string {
  return weekday.format(moment).replace(',', '')
}

export function formatClock(moment: Date): string {
  return clockSeconds.format(moment)
}

/** 2 Dec; the year is for other years. */
export function formatDate(moment: Date, now = serviceNow()): string {
  return (moment.getFullYear() === now.getFullYear() ? day : dayYear).format(moment)
}

/** In the reader's zone, with its name. */
export function formatLocal(moment: Date): string {
  return whole.format(moment)
}

/** 2026-11-15 14:02:31.204 UTC */
export function formatUtc(moment: Date): string {
  return `${moment.toISOString().replace('T', ' ').replace('Z', '')} UTC`
}
