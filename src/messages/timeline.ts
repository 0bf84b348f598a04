// What happened to a message and why, in words. Entries are kept as short texts in the message's own
// row (time|kind|detail), which is written at each move anyway; the words are made when read.

import type { Config } from '../kit/config.js'
import type { Message } from './message.js'

export interface TimelineEntry {
  at: Date
  kind: string
  text: string
}

/** Retries and stale receipts of one message are few; this bound is against a carrier gone mad. */
export const ENTRIES_MAX = 60
/** Its moves are kept all the same: there are no more than these. */
export const MOVES_MAX = 10

const WORDS: Record<string, (detail: string) => string> = {
  queued: () => 'The scheduled time has come: queued for sending',
  sent: orSimulated('The carrier took the message', 'Simulated'),
  delivered: orSimulated('The carrier says that the message was delivered', 'Delivery simulated'),
  read: orSimulated('The recipient opened the message', 'Reading simulated'),
  unconfirmed: (detail) =>
    `The carrier cannot say whether the message was delivered, and never will${detail && `: ${detail}`}`,
  failed: (detail) => `Failed: ${detail}`,
  expired: (detail) => `Gave up: ${detail}`,
  slow: (detail) => `The carrier asked to slow down, ${nextTry(detail)}`,
  unclear: (detail) => `The carrier's answer made no sense, ${nextTry(detail)}`,
  unknown: (detail) =>
    `Handed to the carrier, and no answer came: ${detail}. Not sent again until that is settled`,
  settled: (detail) =>
    detail === REFUNDED
      ? 'Neither a response nor a delivery receipt arrived. Counted as sent, not sent again, and refunded'
      : 'No answer came from the carrier: taken as sent, and not sent again',
  repeated: () =>
    'Neither a response nor a delivery receipt arrived. Sent again, as the link is set',
  absent: () => 'The carrier does not have the message. Sent again',
  matched: (detail) =>
    `A delivery receipt with an unknown id is about this message: it has the same ${detail}`,
  recharged: () => 'Charged again, because the message arrived after all',
  forgiven: () => 'Arrived after all. Not charged again, because the balance is too low',
  late: () => "The carrier's answer came late: it took the message",
  refused: (detail) => `The carrier did not take the message, ${nextTry(detail)}`,
  waited: (detail) => `Waited for ${detail}`,
  outage: (detail) => `Waited for the carrier link, which was down ${detail}`,
  media: (detail) => detail,
  stale: (detail) => `A late or repeated receipt said ${detail}: nothing to change`,
}

/** Of `settled`: the price was returned. */
export const REFUNDED = 'refunded'

/** When its outcome was last called unknown; null: never. */
export function lastUnknownAt(entries: readonly string[]): Date | null {
  const entry = entries.findLast((one) => one.split('|', 2)[1] === 'unknown')
  return entry === undefined ? null : new Date(Number(entry.split('|', 1)[0]))
}

/** In the place of a delay. */
export const NO_ATTEMPT = 'none'

function nextTry(delay: string): string {
  return `next try in ${delay}`.replace(`in ${NO_ATTEMPT}`, 'would come after its validity')
}

const SIMULATED = 'simulated'
const UNSEEN = 'no carrier has seen this message'

// Written with the entry, not found out when it is read: the link may have changed by then.
function orSimulated(text: string, pretence: string): (detail: string) => string {
  return (detail) => (detail === SIMULATED ? `${pretence}: ${UNSEEN}` : text)
}

/**
 * An entry that says what a carrier said. In the sandbox everybody knows that it is simulated; in
 * production nobody may take it for a carrier's word.
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
  // In the order in which they were written. Clocks of two processes differ a little: no entry shows an earlier time
  // than the one before it.
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
    text: WORDS[kind]?.(detail) ?? `${kind} ${detail}`.trim(),
  }
}
