// Moves that end a message no carrier has seen: it expired, or it may not be sent. Pure.

import { plural } from '../../text/plural.js'
import type { QueuedMessage } from '../lane-queries.js'
import { ENDED_TEXT, type ErrorCode, MESSAGE_ERRORS } from '../message-errors.js'
import type { Move } from '../moves/move-queries.js'
import { encodeEntry } from '../timeline.js'
import { describeValidity, expiryOf } from '../validity.js'

/** The fields that determine when a message expires. */
export type Mortal = Pick<QueuedMessage, 'createdAt' | 'expiresAt' | 'validitySeconds'>

export function deadlineOf({ expiresAt, createdAt, validitySeconds }: Mortal): Date {
  return expiresAt ?? expiryOf(createdAt, validitySeconds)
}

export function isExpired(message: Mortal, now: Date): boolean {
  return deadlineOf(message) <= now
}

/** A scheduled message is queued first: its time came, even if no dispatcher was running. */
export function expiryMoves(
  {
    id,
    status,
    attempts,
    validitySeconds,
  }: Omit<Mortal, 'createdAt' | 'expiresAt'> & Pick<QueuedMessage, 'id' | 'status' | 'attempts'>,
  now: Date,
): Move[] {
  const attempted = attempts === 0 ? '' : ` (${plural(attempts, 'attempt')})`
  const reason = `not sent within its validity of ${describeValidity(validitySeconds)}${attempted}`
  const expire: Move = {
    messageId: id,
    target: 'EXPIRED',
    errorCode: 1400,
    entry: encodeEntry(now, 'expired', reason),
  }
  if (status === 'QUEUED') return [expire]
  const entry = encodeEntry(now, 'queued')
  return [{ messageId: id, target: 'QUEUED', errorCode: null, entry, dueAt: now }, expire]
}

/** Codes that elsewhere come from a carrier. Here the service itself stopped the message. */
const OWN_TEXTS: Partial<Record<ErrorCode, string>> = {
  1320: `${MESSAGE_ERRORS[1320].text}. To make messages wait for the next day, set holdAtDailyCap on the campaign`,
  1410: ENDED_TEXT,
  1375: "The message has more segments than the campaign's limit per minute",
}

export function failureMove(
  message: Pick<QueuedMessage, 'id'>,
  errorCode: ErrorCode,
  now: Date,
): Move {
  const errorMessage = OWN_TEXTS[errorCode] ?? MESSAGE_ERRORS[errorCode].text
  const entry = encodeEntry(now, 'failed', `${errorCode} ${errorMessage}`)
  return { messageId: message.id, target: 'FAILED', errorCode, errorMessage, entry, isUnseen: true }
}
