// Submits leased messages to the carrier link, as long as they may still leave, and reads its responses. A link's
// faults stop here.

import type { World } from '../../kit/world.js'
import type { CarrierIdentity, Submission, SubmitAnswer, SubmitPort } from '../carrier-port.js'
import type { QueuedMessage } from '../lane-queries.js'
import type { AddressBook } from '../media/address-book.js'
import type { SealedAddresses } from '../media/sealed-address.js'
import type { CarrierLink } from './carrier-link.js'
import { deadlineOf } from './expiry.js'
import { isTimely, type Leased, SUBMIT_MS_MAX } from './leased.js'
import type { SendPermits } from './queue/send-permits.js'
import { traceSubmit } from './queue/trace-dispatch.js'

const DOWN: SubmitAnswer = { kind: 'down' }
const MISSED: SubmitAnswer = { kind: 'window_missed' }

export interface SubmitDeps {
  carrier: CarrierIdentity & SubmitPort
  addresses: Pick<AddressBook, 'open'>
  link: CarrierLink
  permits: Pick<SendPermits, 'request'>
}

/** Some may have waited for too long. Those are not sent now. */
export async function submitTimely(
  world: World,
  { carrier, link, permits, addresses }: SubmitDeps,
  batch: readonly Leased[],
): Promise<SubmitAnswer[]> {
  link.look()
  if (link.isDown) return batch.map(() => DOWN)
  const sealed = batch.some(({ message }) => message.mediaFiles) ? await addresses.open() : null
  const now = world.clock.now()
  const timely = batch.every((leased) => isTimely(leased, now))
    ? batch
    : batch.filter((leased) => isTimely(leased, now))
  const submissions = timely.map((leased): Submission => {
    const submission = submissionOf(leased.message)
    submission.submitBy = leased.submitBy
    submission.requestPermit = (name) => permits.request(leased, name)
    if (sealed) submission.mediaUrls = sealedUrls(leased.message, sealed, now)
    return submission
  })
  const startMs = world.tracing?.startMs() ?? 0
  const answers =
    submissions.length === 0 ? [] : await submitAll(world, carrier, timely, submissions)
  traceSubmit(world, timely, answers, startMs)
  link.learn(answers)
  if (timely.length === batch.length) return answers
  const byLeased = new Map(timely.map((leased, i) => [leased, answers[i]!]))
  return batch.map((leased) => byLeased.get(leased) ?? MISSED)
}

// By contract, submit never rejects and always responds. A link that breaks this must not stop the others.
async function submitAll(
  world: World,
  carrier: CarrierIdentity & SubmitPort,
  batch: readonly Leased[],
  submissions: Submission[],
): Promise<SubmitAnswer[]> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<SubmitAnswer[]>((resolve) => {
    timer = setTimeout(resolve, SUBMIT_MS_MAX, [])
  })
  try {
    const answers = await Promise.race([carrier.submit(submissions), silence])
    return batch.map((leased, i) =>
      answers[i] ? readAnswer(answers[i]) : silentAnswer(leased, 'no answer'),
    )
  } catch (error) {
    world.log.error(
      { err: error, carrier: carrier.name },
      'carrier link failed or returned malformed responses',
    )
    return batch.map((leased) => silentAnswer(leased, 'the link failed'))
  } finally {
    clearTimeout(timer)
  }
}

/** A message without a permit has not left and gets no permit anymore. */
function silentAnswer(leased: Leased, detail: string): SubmitAnswer {
  leased.isRevoked = true
  return leased.hasPermit ? { kind: 'unknown', detail } : MISSED
}

const ANSWER_KINDS: ReadonlySet<unknown> = new Set<SubmitAnswer['kind']>([
  'sent',
  'slow_down',
  'failed',
  'down',
  'window_missed',
  'unknown',
])

function readAnswer(answer: SubmitAnswer | null | undefined): SubmitAnswer {
  if (answer?.kind === 'slow_down' && !isDelay(answer.retryAfterMs)) return { kind: 'slow_down' }
  if (ANSWER_KINDS.has(answer?.kind)) return answer!
  return { kind: 'unknown', detail: answer ? 'an unknown kind of response' : 'no answer' }
}

function isDelay(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER
}

/** Files that the link fetches from us. For other links, the given URLs. */
function sealedUrls(
  { accountId, mediaFiles, mediaUrls }: QueuedMessage,
  sealed: SealedAddresses,
  now: Date,
): readonly string[] {
  return mediaFiles ? mediaFiles.map((name) => sealed.of(accountId, name, now)) : mediaUrls
}

// Field by field, because a spread is many times slower and this runs for every message.
export function submissionOf(message: QueuedMessage): Submission {
  return {
    accountId: message.accountId,
    id: message.id,
    campaignId: message.campaignId,
    type: message.type,
    from: message.from,
    to: message.to,
    body: message.body,
    mediaUrls: message.mediaUrls,
    attempt: message.attempts + 1,
    expiresAt: deadlineOf(message),
  }
}
