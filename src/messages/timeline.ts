// What happened to a message and why, in sentences. The message's row stores entries as short texts
// (time|kind|detail), because each move writes that row anyway. The sentences are built when they are read.

import type { Config } from '../kit/config.js'
import type { Message } from './message.js'

export interface TimelineEntry {
  at: Date
  kind: string
  text: string
}

/** A message has few retries and stale receipts. This bound protects against a misbehaving carrier. */
export const ENTRIES_MAX = 60
/** Moves are always stored. A message has at most this many. */
export const MOVES_MAX = 10

const SENTENCES: Record<string, (detail: string) => string> = {
  queued: () => 'Scheduled time reached. Queued for sending',
  sent: orSimulated('Accepted by the carrier', 'Simulated'),
  delivered: orSimulated('Delivered (confirmed by the carrier)', 'Delivery simulated'),
  read: orSimulated('Opened by the recipient', 'Opening simulated'),
  unconfirmed: (detail) => `The carrier cannot confirm delivery${detail && `: ${detail}`}`,
  failed: (detail) => `Failed: ${detail}`,
  expired: (detail) => `Expired: ${detail}`,
  slow: (detail) => `Throttled by the carrier. ${nextAttempt(detail)}`,
  unclear: (detail) => `The carrier's response was not understood. ${nextAttempt(detail)}`,
  unknown: (detail) =>
    `Sent to the carrier, outcome unknown: ${detail}. Not sent again until the outcome is known`,
  settled: (detail) =>
    detail === REFUNDED
      ? 'Neither a response nor a delivery receipt arrived. Counted as sent, not sent again, and refunded'
      : 'No response from the carrier. Counted as sent, not sent again',
  repeated: () =>
    'Neither a response nor a delivery receipt arrived. Sent again, as configured for this link',
  absent: () => 'The carrier does not have the message. Sent again',
  matched: (detail) =>
    `A delivery receipt with an unknown ID was matched to this message (same ${detail})`,
  recharged: () => 'Charged again, because a delivery receipt arrived after the refund',
  forgiven: () =>
    'A delivery receipt arrived after the refund. Not charged again, because the balance is too low',
  late: () => 'Accepted by the carrier (late response)',
  refused: (detail) => `Not accepted by the carrier. ${nextAttempt(detail)}`,
  waited: (detail) => `Waited for ${detail}`,
  outage: (detail) => `Waited for the carrier link, which was down ${detail}`,
  media: (detail) => detail,
  stale: (detail) => `Late or repeated delivery receipt (${detail}). No change`,
}

/** Who took the message, for operators. Customers do not see how it was routed. */
export interface Handover {
  at: Date
  link: string
  /** The carrier's IDs, one for each part. */
  carrierIds: string[]
}

/** Enough to name a message at the carrier. A message of many parts is found by its first ones. */
const IDS_SHOWN = 3

/** Detail of `sent` and `late`. The note has what differs between messages. */
export function describeHandover(
  link: string,
  carrierIds: readonly string[],
): { detail: string; note: string } {
  const note = carrierIds.slice(0, IDS_SHOWN).map((id) => ` ${id}`)
  return { detail: `via ${link}`, note: note.join('') }
}

export function readHandovers(entries: readonly string[]): Handover[] {
  return entries.flatMap((entry) => {
    const [ms, kind = '', ...rest] = entry.split('|')
    const [via, link, ...carrierIds] = rest.join('|').split(' ')
    if (!['sent', 'late'].includes(kind) || via !== 'via' || !link) return []
    return [{ at: new Date(Number(ms)), link, carrierIds }]
  })
}

/** Detail of `settled`: the price was refunded. */
export const REFUNDED = 'refunded'

/** When the outcome last became unknown, or null if it never was. */
export function lastUnknownAt(entries: readonly string[]): Date | null {
  const entry = entries.findLast((one) => one.split('|', 2)[1] === 'unknown')
  return entry === undefined ? null : new Date(Number(entry.split('|', 1)[0]))
}

/** Replaces the delay where no attempt follows. */
export const NO_ATTEMPT = 'none'

function nextAttempt(delay: string): string {
  if (delay === NO_ATTEMPT) return 'It expires before the next attempt'
  return `Next attempt in ${delay}`
}

const SIMULATED = 'simulated'
const UNSEEN = 'no carrier has seen this message'

// Stored with the entry, because the link may have changed by the time the entry is read.
function orSimulated(text: string, simulated: string): (detail: string) => string {
  return (detail) => (detail === SIMULATED ? `${simulated}: ${UNSEEN}` : text)
}

/**
 * An entry for a carrier's response or receipt. In the sandbox it is obvious that the carrier is simulated. In
 * production the entry says so, so nobody takes it for a real carrier's response.
 */
export function encodeAnswer(
  { mode, carrier }: Pick<Config, 'mode' | 'carrier'>,
  at: Date,
  kind: string,
  detail = '',
): string {
  if (carrier !== 'simulator' || mode === 'sandbox') return encodeEntry(at, kind, detail)
  return encodeEntry(at, kind, detail === '' ? SIMULATED : `${detail} (simulated: ${UNSEEN})`)
}

export function encodeEntry(at: Date, kind: string, detail = ''): string {
  return `${at.getTime()}|${kind}|${detail}`
}

export function readTimeline(message: Message, entries: readonly string[]): TimelineEntry[] {
  const first =
    message.direction === 'INBOUND'
      ? 'Received'
      : message.scheduledAt
        ? `Accepted, scheduled for ${message.scheduledAt.toISOString()}`
        : 'Accepted and queued for sending'
  const timeline = [{ at: message.createdAt, kind: 'created', text: first }]
  // In the order in which they were written. The clocks of two processes differ a little, so no entry shows an
  // earlier time than the one before it.
  for (const entry of entries.map(decodeEntry)) {
    const before = timeline.at(-1)!.at
    timeline.push(entry.at < before ? { ...entry, at: before } : entry)
  }
  return timeline
}

function decodeEntry(entry: string): TimelineEntry {
  const [ms, kind = '', ...rest] = entry.split('|')
  const detail = rest.join('|')
  return {
    at: new Date(Number(ms)),
    kind,
    text: SENTENCES[kind]?.(detail) ?? `${kind} ${detail}`.trim(),
  }
}
