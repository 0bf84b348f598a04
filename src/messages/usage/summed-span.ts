// Which parts of a span of time are read from sums by day, which from sums by hour, and which from the messages
// themselves: what is not summed yet, and the pieces of hours at both ends. Pure.

export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const
export type Bucket = keyof typeof BUCKET_MS

/** From the one moment until before the other; empty where they are the same. */
export interface Range {
  from: Date
  to: Date
}

export interface SplitSpan {
  days: Range
  /** Before the days and after them. */
  hours: [Range, Range]
  /** Before the hours and after them. */
  messages: [Range, Range]
}

/**
 * A sum by day may grow until the whole day is summed, so only those of days that are. `summedUntil` may be older
 * than the sums that are then read.
 */
export function splitSpan({ from, to }: Range, summedUntil: Date, largest: Bucket): SplitSpan {
  const end = Math.max(from.getTime(), Math.min(to.getTime(), summedUntil.getTime()))
  const [firstHour, lastHour] = within([from.getTime(), end], 'hour')
  const [firstDay, lastDay] =
    largest === 'day' ? within([firstHour, lastHour], 'day') : [lastHour, lastHour]
  return {
    days: range(firstDay, lastDay),
    hours: [range(firstHour, firstDay), range(lastDay, lastHour)],
    messages: [range(from.getTime(), firstHour), range(lastHour, to.getTime())],
  }
}

/** The whole hours or days of a span; where it has none, its end twice. */
function within([from, to]: [number, number], bucket: Bucket): [number, number] {
  const sizeMs = BUCKET_MS[bucket]
  const first = Math.ceil(from / sizeMs) * sizeMs
  const last = Math.floor(to / sizeMs) * sizeMs
  return first < last ? [first, last] : [to, to]
}

function range(fromMs: number, toMs: number): Range {
  return { from: new Date(fromMs), to: new Date(toMs) }
}
