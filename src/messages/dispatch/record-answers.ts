// What the carrier's answer means for a message: sent, failed, or requeued to be tried again, for as
// long as it is valid.

import type { World } from '../../kit/world.js'
import type { SubmitAnswer } from '../carrier-port.js'
import type { QueuedMessage } from '../lane-queries.js'
import { type ErrorCode, knownCode, MESSAGE_ERRORS } from '../message-errors.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import { encodeAnswer, encodeEntry, NO_ATTEMPT } from '../timeline.js'
import { deadlineOf } from './expiry.js'
import { delayAfterMs } from './retry-delay.js'

export function recordFailure(
  { clock }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  errorCode: ErrorCode,
  detail?: string,
): Promise<unknown> {
  const text = detail ?? MESSAGE_ERRORS[errorCode].text
  return recorder.move(message.accountId, {
    messageId: message.id,
    target: 'FAILED',
    errorCode,
    ...(detail !== undefined && { errorMessage: detail }),
    entry: encodeEntry(clock.now(), 'failed', `${errorCode} ${text}`),
  })
}

/** Resolves when it is durable. */
export function recordAnswer(
  world: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  answer: Exclude<SubmitAnswer, { kind: 'down' }>,
): Promise<unknown> {
  switch (answer.kind) {
    case 'sent':
      return recorder.move(message.accountId, {
        messageId: message.id,
        target: 'SENT',
        errorCode: null,
        entry: encodeAnswer(world.config, world.clock.now(), 'sent'),
      })
    case 'failed':
      return recordRefusal(world, recorder, message, knownCode(answer.errorCode))
    case 'slow_down':
      return recordRetry(world, recorder, message, 'slow', answer.retryAfterMs)
    case 'unknown':
      world.log.warn({ message: message.id, detail: answer.detail }, 'carrier answer unclear')
      return recordRetry(world, recorder, message, 'unclear')
  }
}

/** The carrier's own word. */
function recordRefusal(
  { clock, config }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  errorCode: ErrorCode,
): Promise<unknown> {
  const detail = `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`
  return recorder.move(message.accountId, {
    messageId: message.id,
    target: 'FAILED',
    errorCode,
    entry: encodeAnswer(config, clock.now(), 'failed', detail),
  })
}

function recordRetry(
  { clock, config }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  kind: 'slow' | 'unclear',
  retryAfterMs?: number,
): Promise<unknown> {
  const now = clock.now()
  const attempts = message.attempts + 1
  const delayMs = delayAfterMs(attempts, retryAfterMs)
  const expiresAt = deadlineOf(message)
  const isLast = now.getTime() + delayMs >= expiresAt.getTime()
  const detail = isLast ? NO_ATTEMPT : `${(delayMs / 1000).toFixed(1)} s`
  return recorder.requeue(message.accountId, {
    messageId: message.id,
    // Not later than its end, which is recorded when it has come.
    dueAt: isLast ? expiresAt : new Date(now.getTime() + delayMs),
    attempts,
    expiresAt,
    isMediaChecked: true,
    entry: encodeAnswer(config, now, kind, detail),
  })
}

/** Nothing was tried: the message takes part in the next claim, in its old position where one is given. */
export function requeueUntried(
  { clock }: World,
  recorder: MoveRecorder,
  { accountId, id, attempts, mediaUrls }: QueuedMessage,
  dueAt: Date = clock.now(),
): Promise<void> {
  return recorder.requeue(accountId, {
    messageId: id,
    dueAt,
    attempts,
    expiresAt: null,
    isMediaChecked: mediaUrls.length > 0,
    entry: null,
  })
}

/** A scheduled message is QUEUED now. False where it was cancelled meanwhile. */
export async function queueScheduled(
  { clock }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  leaseUntil: Date,
): Promise<boolean> {
  if (message.status === 'QUEUED') return true
  const outcome = await recorder.move(message.accountId, {
    messageId: message.id,
    target: 'QUEUED',
    errorCode: null,
    entry: encodeEntry(clock.now(), 'queued'),
    dueAt: leaseUntil,
  })
  return outcome === 'moved'
}
