// Hands leased messages to the carrier link, as long as they may still go out, and reads its answers.
// Nothing that a link does or answers gets further than here as a fault.

import type { World } from '../../kit/world.js'
import type { Carrier, Submission, SubmitAnswer } from '../carrier-port.js'
import { LEASE_MS } from '../lane.js'
import type { QueuedMessage } from '../lane-queries.js'
import type { AddressBook } from '../media/address-book.js'
import type { SealedAddresses } from '../media/sealed-address.js'
import type { CarrierLink } from './carrier-link.js'
import { deadlineOf } from './expiry.js'
import type { JournalRow, SubmitJournal } from './submit-journal.js'

/** A claim this close to its end may be taken by another: it is left to that one. */
const LEASE_MARGIN_MS = 15_000
/** A link that has not answered by then is taken to have no answer. */
const SUBMIT_MS_MAX = LEASE_MS - LEASE_MARGIN_MS

/** A message that this process has leased. A claim made while it is in flight renews its lease. */
export interface Leased {
  message: QueuedMessage
  leaseUntil: Date
  /** Later than this the message may not go out: its validity or its share of the limit has passed. */
  submitBy: Date | null
  /** As the row of the message has it while it is leased: null where its handoff is the lease. */
  dueAt: Date | null
  /** Where it stands in the journal of submits. */
  journal?: JournalRow
}

const DOWN: SubmitAnswer = { kind: 'down' }
const MISSED: SubmitAnswer = { kind: 'missedWindow' }

export interface SubmitDeps {
  carrier: Carrier
  addresses: Pick<AddressBook, 'open'>
  link: CarrierLink
  journal: Pick<SubmitJournal, 'write'>
}

/** Some may have waited for too long: those are not sent now. */
export async function submitTimely(
  world: World,
  { carrier, link, journal, addresses }: SubmitDeps,
  batch: readonly Leased[],
): Promise<SubmitAnswer[]> {
  link.look()
  if (link.isDown) return batch.map(() => DOWN)
  const inTime = timelyOf(batch, world.clock.now())
  const sealed = batch.some(({ message }) => message.mediaFiles) ? await addresses.open() : null
  // What cannot be written down is not handed over either: it goes back, as untried.
  const written = await writeDown(world, journal, inTime)
  // That takes as long as the database takes, and the limit is on what reaches the carrier.
  const now = world.clock.now()
  const timely = timelyOf(written, now)
  const submissions = timely.map(({ message, submitBy }) => {
    const submission = { ...submissionOf(message), submitBy }
    return sealed ? { ...submission, mediaUrls: sealedUrls(message, sealed, now) } : submission
  })
  const answers = submissions.length === 0 ? [] : await submitAll(world, carrier, submissions)
  link.learn(answers)
  if (timely.length === batch.length) return answers
  const byLeased = new Map(timely.map((leased, i) => [leased, answers[i]!]))
  return batch.map((leased) => byLeased.get(leased) ?? MISSED)
}

/** Those that were. */
async function writeDown(
  { log }: World,
  journal: Pick<SubmitJournal, 'write'>,
  batch: readonly Leased[],
): Promise<readonly Leased[]> {
  try {
    const left = await journal.write(batch)
    return left.size === 0 ? batch : batch.filter((leased) => !left.has(leased))
  } catch (error) {
    log.warn({ err: error }, 'messages wait: what is about to be sent could not be written down')
    return []
  }
}

function timelyOf(batch: readonly Leased[], now: Date): readonly Leased[] {
  const isTimely = ({ leaseUntil, submitBy }: Leased) =>
    isLeased(leaseUntil, now) && (submitBy === null || now <= submitBy)
  return batch.every(isTimely) ? batch : batch.filter(isTimely)
}

export function isLeased(leaseUntil: Date, now: Date): boolean {
  return now.getTime() <= leaseUntil.getTime() - LEASE_MARGIN_MS
}

// The port says that submit never rejects and always answers; a link that does not must not
// stop the others.
async function submitAll(
  world: World,
  carrier: Carrier,
  submissions: Submission[],
): Promise<SubmitAnswer[]> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<SubmitAnswer[]>((resolve) => {
    timer = setTimeout(resolve, SUBMIT_MS_MAX, [])
  })
  try {
    const answers = await Promise.race([carrier.submit(submissions), silence])
    return submissions.map((_, i) => readAnswer(answers[i]))
  } catch (error) {
    world.log.error(
      { err: error, carrier: carrier.name },
      'carrier link rejected or returned malformed answers',
    )
    return submissions.map(() => ({ kind: 'unknown', detail: 'the link failed' }))
  } finally {
    clearTimeout(timer)
  }
}

const ANSWER_KINDS: ReadonlySet<unknown> = new Set<SubmitAnswer['kind']>([
  'sent',
  'slow_down',
  'failed',
  'down',
  'missedWindow',
  'unknown',
])

function readAnswer(answer: SubmitAnswer | null | undefined): SubmitAnswer {
  if (answer?.kind === 'slow_down' && !isDelay(answer.retryAfterMs)) return { kind: 'slow_down' }
  if (ANSWER_KINDS.has(answer?.kind)) return answer!
  return { kind: 'unknown', detail: answer ? 'an answer of no known kind' : 'no answer' }
}

function isDelay(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER
}

/** Files that the link fetches from us; of others, their addresses as they were given. */
function sealedUrls(
  { accountId, mediaFiles, mediaUrls }: QueuedMessage,
  sealed: SealedAddresses,
  now: Date,
): readonly string[] {
  return mediaFiles ? mediaFiles.map((name) => sealed.of(accountId, name, now)) : mediaUrls
}

export function submissionOf(message: QueuedMessage): Submission {
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
    expiresAt: deadlineOf(message),
  }
}
