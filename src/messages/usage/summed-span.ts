// Which parts of a time range are read from counters by day, which from counters by hour, and which from the
// messages: the partial hours at both ends, and what an older version left uncounted. Pure.

import { DAY_MS, HOUR_MS } from '../../kit/clock.js'

export const BUCKET_MS = { hour: HOUR_MS, day: DAY_MS } as const
export type UsageBucket = keyof typeof BUCKET_MS

/** From the first time until before the second. Empty if they are equal. */
export interface TimeRange {
  from: Date
  to: Date
}

export interface SplitSpan {
  days: TimeRange[]
  /** Before the days and after them. */
  hours: TimeRange[]
  /** Everything read from counters. Pending changes are read for the same ranges. */
  counted: TimeRange[]
  messages: TimeRange[]
}

/** Messages are counted before the first time and from the second on. */
interface Horizon {
  summedUntil: Date
  countedFrom: Date
}

/**
 * A daily counter is right if the whole day is counted, so only such days are used. `summedUntil` may be older than
 * the counters read afterwards.
 */
export function splitSpan(
  { from, to }: TimeRange,
  horizon: Horizon,
  largest: UsageBucket,
): SplitSpan {
  const span: Pair = [from.getTime(), to.getTime()]
  const summedUntil = horizon.summedUntil.getTime()
  const countedFrom = horizon.countedFrom.getTime()
  if (summedUntil >= countedFrom) return splitCounted(span, largest)
  const before = splitCounted(cut(span, [span[0], summedUntil]), largest)
  const after = splitCounted(cut(span, [countedFrom, span[1]]), largest)
  const between = range(cut(span, [summedUntil, countedFrom]))
  return {
    days: [...before.days, ...after.days],
    hours: [...before.hours, ...after.hours],
    counted: [...before.counted, ...after.counted],
    messages: [...before.messages, between, ...after.messages].filter(isNotEmpty),
  }
}

/** In milliseconds. */
type Pair = [from: number, to: number]

/** All counters are included, even empty ones, so one plan serves all ranges. */
function splitCounted([from, to]: Pair, largest: UsageBucket): SplitSpan {
  const [firstHour, lastHour] = within([from, to], 'hour')
  const [firstDay, lastDay] =
    largest === 'day' ? within([firstHour, lastHour], 'day') : [lastHour, lastHour]
  return {
    days: [range([firstDay, lastDay])],
    hours: [range([firstHour, firstDay]), range([lastDay, lastHour])],
    counted: [range([firstHour, lastHour])],
    messages: [range([from, firstHour]), range([lastHour, to])].filter(isNotEmpty),
  }
}

/** The part of a range within another. Empty if there is none. */
function cut([from, to]: Pair, [first, last]: Pair): Pair {
  const begin = Math.min(to, Math.max(from, first))
  return [begin, Math.max(begin, Math.min(to, last))]
}

/** The whole hours or days of a range. If there are none, its end twice. */
function within([from, to]: Pair, bucket: UsageBucket): Pair {
  const sizeMs = BUCKET_MS[bucket]
  const first = Math.ceil(from / sizeMs) * sizeMs
  const last = Math.floor(to / sizeMs) * sizeMs
  return first < last ? [first, last] : [to, to]
}

function range([from, to]: Pair): TimeRange {
  return { from: new Date(from), to: new Date(to) }
}

function isNotEmpty({ from, to }: TimeRange): boolean {
  return from < to
}
