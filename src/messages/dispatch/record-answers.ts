// What the carrier's response means for a message: sent, failed, or requeued for another attempt while it is still
// valid.

import type { World } from '../../kit/world.js'
import { withoutBrokenUnits } from '../../text/segments.js'
import type { CarrierIdentity, QueryPort, Sent, SubmitAnswer, Unknown } from '../carrier-port.js'
import type { QueuedMessage } from '../lane-queries.js'
import { kilobytes, type Prepared } from '../media/prepare-files.js'
import { type ErrorCode, knownCode, MESSAGE_ERRORS } from '../message-errors.js'
import type { CarrierId } from '../moves/carrier-id-queries.js'
import type { Move } from '../moves/move-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import { describeFailure, optoutOf } from '../moves/receive-receipts.js'
import { describeHandover, encodeAnswer, encodeEntry, NO_ATTEMPT } from '../timeline.js'
import { deadlineOf } from './expiry.js'
import { delayAfterMs } from './retry-delay.js'
import { policyOf } from './unknown-policy.js'

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

type FinalAnswer = Extract<SubmitAnswer, { kind: 'sent' | 'failed' }>

/** Resolves when it is durable. */
export function recordAnswer(
  world: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  answer: FinalAnswer | Extract<SubmitAnswer, { kind: 'slow_down' }>,
): Promise<unknown> {
  if (answer.kind !== 'slow_down') return recordFinal(world, recorder, message, answer)
  return recordRetry(world, recorder, message, answer.retryAfterMs)
}

/** The carrier's response, on time or late. */
export function recordFinal(
  { clock, config }: World,
  recorder: Pick<MoveRecorder, 'move'>,
  { accountId, id: messageId }: Pick<QueuedMessage, 'accountId' | 'id'>,
  answer: FinalAnswer,
  sentAs: 'sent' | 'late' = 'sent',
): Promise<unknown> {
  const now = clock.now()
  if (answer.kind === 'sent') {
    const carrierIds = carrierIdsOf({ accountId, messageId }, answer)
    const { detail, note } = handoverOf(config, answer, carrierIds)
    const entry = encodeAnswer(config, now, sentAs, detail)
    const move: Move = { messageId, target: 'SENT', errorCode: null, entry, note }
    if (carrierIds.length > 0) move.carrierIds = carrierIds
    return recorder.move(accountId, move)
  }
  const errorCode = knownCode(answer.errorCode)
  const entry = encodeAnswer(config, now, 'failed', describeFailure(errorCode, answer.carrierCode))
  const optout = optoutOf(answer.isOptedOut, answer.carrierCode)
  // Refused at submit, so nothing was accepted and nothing is charged. A failure reported by a receipt is charged.
  const refused = { messageId, target: 'FAILED', errorCode, entry, isUnseen: true } as const
  return recorder.move(accountId, { ...refused, ...optout })
}

/** For operators. A simulated answer in production says that instead. */
function handoverOf(
  { mode, carrier }: World['config'],
  { link }: Sent,
  carrierIds: readonly CarrierId[],
): ReturnType<typeof describeHandover> {
  const isSimulated = carrier === 'simulator' && mode !== 'sandbox'
  if (link === undefined || isSimulated) return { detail: '', note: '' }
  return describeHandover(
    link,
    carrierIds.map(({ carrierId }) => carrierId),
  )
}

/** An ID of unlimited length could not be a key. */
const CARRIER_ID_MAX = 200

/** The carrier's IDs for the message, one per part. */
function carrierIdsOf(
  { accountId, messageId }: Pick<CarrierId, 'accountId' | 'messageId'>,
  { link, carrierIds = [] }: Sent,
): CarrierId[] {
  if (link === undefined) return []
  const parts = carrierIds.length
  return carrierIds.map((id, part) => {
    const carrierId = withoutBrokenUnits(id).slice(0, CARRIER_ID_MAX)
    return { link, carrierId, accountId, messageId, part, parts }
  })
}

/** The message is not sent again until its outcome is settled. */
export function recordUnknown(
  { clock, log }: World,
  { carrier, recorder }: { carrier: CarrierIdentity & QueryPort; recorder: MoveRecorder },
  message: QueuedMessage,
  { detail, link: reportedLink }: Unknown,
): Promise<unknown> {
  const now = clock.now()
  const link = reportedLink ?? null
  const { waitMs } = policyOf(carrier, link)
  log.warn({ message: message.id, link, detail }, 'no response from the carrier: outcome unknown')
  return recorder.requeue(message.accountId, {
    messageId: message.id,
    dueAt: null,
    attempts: message.attempts + 1,
    expiresAt: deadlineOf(message),
    isMediaChecked: true,
    countedDay: null, // it may have gone out, so a second send counts again
    entry: encodeEntry(now, 'unknown', detail.slice(0, DETAIL_MAX)),
    unknown: { settleAt: new Date(now.getTime() + waitMs), link },
  })
}

const DETAIL_MAX = 200

function recordRetry(
  { clock, config }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
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
    // Not later than its expiry, which is recorded at that time.
    dueAt: isLast ? expiresAt : new Date(now.getTime() + delayMs),
    attempts,
    expiresAt,
    isMediaChecked: true,
    countedDay: message.countedDay,
    entry: encodeAnswer(config, now, 'slow', detail),
  })
}

/** Nothing was attempted. The message joins the next claim, in its old position if one is given. */
export function requeueUntried(
  { clock }: World,
  recorder: MoveRecorder,
  { accountId, id, attempts, mediaUrls, countedDay }: QueuedMessage,
  dueAt: Date = clock.now(),
): Promise<void> {
  return recorder.requeue(accountId, {
    messageId: id,
    dueAt,
    attempts,
    expiresAt: null,
    isMediaChecked: mediaUrls.length > 0,
    countedDay,
    entry: null,
  })
}

/** The media files are ready. The message joins the next claim with the files to send. */
export function requeueChecked(
  world: World,
  recorder: MoveRecorder,
  { accountId, id, attempts, countedDay }: QueuedMessage,
  { names, bytes, bytesBefore }: Prepared,
): Promise<void> {
  const now = world.clock.now()
  const sizes = `from ${kilobytes(bytesBefore)} to ${kilobytes(bytes)}`
  return recorder.requeue(accountId, {
    messageId: id,
    dueAt: now,
    attempts,
    expiresAt: null,
    isMediaChecked: true,
    mediaFiles: names,
    countedDay,
    entry: bytes < bytesBefore ? encodeEntry(now, 'media', `Media resized ${sizes}`) : null,
  })
}

/** Moves a scheduled message to QUEUED. False if it was canceled in the meantime. */
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
