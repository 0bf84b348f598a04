// What happened to a message and why, in words. Entries are kept as short texts in the message's own
// row (time|kind|detail), which is written at each move anyway; the words are made when read.

import type { Message } from './message.js'

export interface TimelineEntry {
  at: Date
  kind: string
  text: string
}

/** Moves, retries and stale receipts of one message are few; this bound is against a carrier gone mad. */
export const ENTRIES_MAX = 60

const WORDS: Record<string, (detail: string) => string> = {
  queued: () => 'The scheduled time has come: queued for sending',
  sent: () => 'The carrier took the message',
  delivered: () => 'The carrier says that the message was delivered',
  read: () => 'The recipient opened the message',
  failed: (detail) => `Failed: ${detail}`,
  expired: (detail) => `Gave up: ${detail}`,
  slow: (detail) => `The carrier asked to slow down, next try in ${detail}`,
  unclear: (detail) => `The carrier's answer made no sense, next try in ${detail}`,
  waited: (detail) => `Waited for ${detail}`,
  stale: (detail) => `A late or repeated receipt said ${detail}: nothing to change`,
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
  return [{ at: message.createdAt, kind: 'created', text: first }, ...entries.map(decodeEntry)]
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
