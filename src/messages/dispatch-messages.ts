// The dispatcher: from the queue to the carrier. Fresh messages come in memory right after their
// commit; the claim finds what was not handed on, was put back, scheduled, or left by a dead process.
// Claim, submit, record: no connection and no lock is held while a carrier thinks.

import type { AccountId } from '../accounts/account.js'
import { BatchWriter } from '../kit/batch-writer.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { canExist } from '../text/phone-number.js'
import type { NewMessage } from './accept-queries.js'
import type { Carrier, Submission, SubmitAnswer } from './carrier-port.js'
import { claimLane } from './claim-lane.js'
import { findDueLanes, type QueuedMessage } from './lane-queries.js'
import { type ErrorCode, knownCode, MESSAGE_ERRORS } from './message-errors.js'
import type { CheckMedia } from './outbound-media.js'
import type { MoveRecorder } from './record-moves.js'
import { ATTEMPTS_MAX, EXPIRY_MS, retryDelayMs } from './retry-delay.js'
import { encodeEntry } from './timeline.js'

/** Longer than a carrier may think and a backlog of IN_HAND_MAX takes to go out. */
export const LEASE_MS = 60_000
/** A claim this close to its end may be taken by another: it is left to that one. */
const LEASE_MARGIN_MS = 15_000
/** Beyond this, accepted messages wait in the database, where lanes take turns. */
const IN_HAND_MAX = 4_000
const LANES_PER_STEP = 50
const SUBMIT_BATCH_MAX = 200
const SUBMITS_UNDER_WAY_MAX = 32

export interface Dispatcher {
  /** Whether a message accepted now may be handed on in memory. */
  hasRoom: () => boolean
  handOn: (accountId: AccountId, messages: readonly NewMessage[], now: Date) => void
  loop: Loop
  /** Waits until what is in hand has been submitted and recorded. */
  drain: () => Promise<void>
}

export interface DispatcherParts {
  carrier: Carrier
  recorder: MoveRecorder
  checkMedia: CheckMedia
}

export function createDispatcher(world: World, parts: DispatcherParts): Dispatcher {
  const { carrier, recorder } = parts
  const inHand = new Set<string>()
  const idle: (() => void)[] = []
  const submitter = new BatchWriter<Submission, SubmitAnswer>({
    batchMax: SUBMIT_BATCH_MAX,
    concurrency: SUBMITS_UNDER_WAY_MAX,
    write: (submissions) => submitAll(world, carrier, submissions),
  })

  const take = (message: QueuedMessage, leaseUntil: Date): void => {
    if (inHand.has(message.id)) return
    inHand.add(message.id)
    dispatchOne(world, parts, submitter, message, leaseUntil)
      // The lease runs out and the message is claimed again: nothing is lost, but somebody should know.
      .catch((error) => world.log.error({ err: error, message: message.id }, 'dispatch failed'))
      .finally(() => {
        inHand.delete(message.id)
        if (inHand.size === 0) for (const resolve of idle.splice(0)) resolve()
      })
  }

  const claimDue = async (): Promise<number> => {
    if (inHand.size >= IN_HAND_MAX) return 0
    const now = world.clock.now()
    const lanes = await findDueLanes(world.db, now, LANES_PER_STEP)
    let claimed = 0
    for (const lane of lanes) {
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const { messages, moves } = await claimLane(world.db, lane, now, leaseUntil)
      for (const move of moves) {
        recorder.move(lane.accountId, move).catch(loop.onError)
      }
      for (const message of messages) take(message, leaseUntil)
      claimed += messages.length + moves.length
    }
    return claimed
  }

  const loop: Loop = {
    name: 'dispatch',
    hints: ['messages', 'clock'],
    idleMs: 200,
    step: claimDue,
    onError: (error) => world.log.error({ err: error }, 'claiming messages failed'),
  }

  return {
    loop,
    hasRoom: () => inHand.size < IN_HAND_MAX,
    handOn: (accountId, messages, now) => {
      for (const message of messages) take(fresh(accountId, message, now), message.dueAt)
    },
    drain: async () => {
      if (inHand.size > 0) await new Promise<void>((resolve) => idle.push(resolve))
      await recorder.drain()
    },
  }
}

function fresh(accountId: AccountId, message: NewMessage, now: Date): QueuedMessage {
  return { ...message, accountId, attempts: 0, createdAt: now, dueAt: now, status: 'QUEUED' }
}

// The port says that submit never rejects; a link that breaks its word must not stop the others.
async function submitAll(
  world: World,
  carrier: Carrier,
  submissions: Submission[],
): Promise<SubmitAnswer[]> {
  try {
    const answers = await carrier.submit(submissions)
    return submissions.map((_, i) => answers[i] ?? { kind: 'unclear', detail: 'no answer' })
  } catch (error) {
    world.log.error({ err: error, carrier: carrier.name }, 'carrier link broke its word')
    return submissions.map(() => ({ kind: 'unclear', detail: 'the link failed' }))
  }
}

async function dispatchOne(
  world: World,
  { recorder, checkMedia }: DispatcherParts,
  submitter: BatchWriter<Submission, SubmitAnswer>,
  message: QueuedMessage,
  leaseUntil: Date,
): Promise<void> {
  if (
    message.status === 'SCHEDULED' &&
    !(await queueScheduled(world, recorder, message, leaseUntil))
  ) {
    return
  }
  const fail = (code: ErrorCode, detail?: string) =>
    recordFailure(world, recorder, message, code, detail)
  if (!canExist(message.peer)) return fail(1350)
  if (message.mediaUrls.length > 0) {
    const problem = await checkMedia(message)
    if (problem) return fail(problem.code, problem.detail)
  }
  if (world.clock.now().getTime() > leaseUntil.getTime() - LEASE_MARGIN_MS) return
  const answer = await submitter.add(submissionOf(message))
  return recordAnswer(world, recorder, message, answer)
}

function submissionOf(message: QueuedMessage): Submission {
  return {
    accountId: message.accountId,
    messageId: message.id,
    campaignId: message.campaignId,
    type: message.type,
    from: message.number,
    to: message.peer,
    body: message.body,
    mediaUrls: message.mediaUrls,
    attempt: message.attempts + 1,
  }
}

/** False where the message is no longer SCHEDULED: it was cancelled meanwhile. */
async function queueScheduled(
  { clock }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  leaseUntil: Date,
): Promise<boolean> {
  const outcome = await recorder.move(message.accountId, {
    messageId: message.id,
    target: 'QUEUED',
    errorCode: null,
    entry: encodeEntry(clock.now(), 'queued'),
    dueAt: leaseUntil,
  })
  return outcome === 'moved'
}

async function recordFailure(
  { clock }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  errorCode: ErrorCode,
  detail?: string,
): Promise<void> {
  const text = detail ?? MESSAGE_ERRORS[errorCode].text
  await recorder.move(message.accountId, {
    messageId: message.id,
    target: 'FAILED',
    errorCode,
    ...(detail !== undefined && { errorMessage: detail }),
    entry: encodeEntry(clock.now(), 'failed', `${errorCode} ${text}`),
  })
}

async function recordAnswer(
  world: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  answer: SubmitAnswer,
): Promise<void> {
  switch (answer.kind) {
    case 'sent':
      await recorder.move(message.accountId, {
        messageId: message.id,
        target: 'SENT',
        errorCode: null,
        entry: encodeEntry(world.clock.now(), 'sent'),
      })
      return
    case 'failed':
      return recordFailure(world, recorder, message, knownCode(answer.errorCode))
    case 'slow_down':
      return tryAgain(world, recorder, message, 'slow')
    case 'unclear':
      world.log.warn({ message: message.id, detail: answer.detail }, 'carrier answer unclear')
      return tryAgain(world, recorder, message, 'unclear')
  }
}

async function tryAgain(
  { clock }: World,
  recorder: MoveRecorder,
  message: QueuedMessage,
  kind: 'slow' | 'unclear',
): Promise<void> {
  const now = clock.now()
  const attempts = message.attempts + 1
  const delayMs = retryDelayMs(attempts)
  const dueAt = new Date(now.getTime() + delayMs)
  if (attempts >= ATTEMPTS_MAX || dueAt.getTime() > message.createdAt.getTime() + EXPIRY_MS) {
    const reason = attempts >= ATTEMPTS_MAX ? `${attempts} tries` : '4 hours of trying'
    await recorder.move(message.accountId, {
      messageId: message.id,
      target: 'EXPIRED',
      errorCode: 1400,
      entry: encodeEntry(now, 'expired', reason),
    })
    return
  }
  const entry = encodeEntry(now, kind, `${(delayMs / 1000).toFixed(1)} s`)
  await recorder.putBack(message.accountId, { messageId: message.id, dueAt, attempts, entry })
}
