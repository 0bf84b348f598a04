// The dispatcher: from the queue to the carrier. Fresh messages come in memory right after their
// commit; the claim finds what was not handed on, was requeued, scheduled, or left by a dead process.
// Claim, submit, record: no connection and no lock is held while a carrier thinks.

import type { AccountId } from '../../accounts/account.js'
import { BatchWriter } from '../../kit/batch-writer.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { canExist } from '../../text/phone-number.js'
import type { Carrier } from '../carrier-port.js'
import { LEASE_MS } from '../lane.js'
import { findDueLanes, type LaneKey, type QueuedMessage } from '../lane-queries.js'
import { appendEntries } from '../moves/move-queries.js'
import type { MoveRecorder } from '../moves/record-moves.js'
import type { HandoffTarget } from '../send/accept-messages.js'
import type { NewMessage } from '../send/accept-queries.js'
import { encodeEntry } from '../timeline.js'
import { type Span, waitedMs } from '../validity.js'
import { CarrierLink } from './carrier-link.js'
import { createMediaChecks } from './check-media.js'
import { claimLane, WAIT_NOTED_MS } from './claim-lane.js'
import { deadlineOf } from './expiry.js'
import { createHandoffs, type Handoff } from './handoffs.js'
import { LostLinkReporter } from './lost-link-reporter.js'
import type { CheckMedia } from './outbound-media.js'
import { queueScheduled, recordAnswer, recordFailure, requeueUntried } from './record-answers.js'
import { isLeased, type Leased, type Outcome, submitTimely } from './submit-messages.js'

/** Beyond this, accepted messages wait in the database, where lanes alternate. */
const IN_FLIGHT_MAX = 4_000
const LANES_PER_STEP = 50
const SUBMIT_BATCH_MAX = 200
export const SUBMITS_UNDER_WAY_MAX = 32

export interface Dispatcher extends HandoffTarget {
  loop: Loop
  /** Waits until what is in flight has been submitted and recorded. Media is left to the next process. */
  drain: () => Promise<void>
}

export interface DispatcherDeps {
  carrier: Carrier
  recorder: MoveRecorder
  checkMedia: CheckMedia
}

export function createDispatcher(world: World, deps: DispatcherDeps): Dispatcher {
  const { carrier, recorder } = deps
  const inFlight = new Map<string, Leased>()
  const idle: (() => void)[] = []
  const checks = createMediaChecks(world, deps)
  const handoffs = createHandoffs(world)
  const link = new CarrierLink(carrier, world)
  const lostLink = new LostLinkReporter(world, { carrier, link })
  const submitter = new BatchWriter<Leased, Outcome>({
    batchMax: SUBMIT_BATCH_MAX,
    concurrency: SUBMITS_UNDER_WAY_MAX,
    write: (batch) => submitTimely(world, { carrier, link }, batch),
  })

  const take = (leased: Leased, handoff: Handoff | null): void => {
    const { id } = leased.message
    const known = inFlight.get(id)
    if (known) {
      known.leaseUntil = leased.leaseUntil
      known.submitBy = leased.submitBy
      return
    }
    inFlight.set(id, leased)
    const letGo = (): void => {
      inFlight.delete(id)
      if (inFlight.size === 0) for (const resolve of idle.splice(0)) resolve()
    }
    dispatchOne(world, recorder, submitter, leased).then(
      (isSettled) => {
        if (handoff && isSettled) handoffs.settle(handoff)
        letGo()
      },
      (error) => {
        // The lease runs out and the message is claimed again: nothing is lost, but somebody should know.
        world.log.error({ err: error, message: id }, 'dispatch failed')
        letGo()
      },
    )
  }

  const claim = async (lane: LaneKey): Promise<number> => {
    const now = world.clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const options = { leaseUntil, checksMax: checks.capacityFor(lane) }
    const { messages, toCheck, moves, submitBy } = await claimLane(world.db, lane, now, options)
    await noteOutage(world, lane, link.lastOutage, messages).catch(loop.onError)
    for (const move of moves) recorder.move(lane.accountId, move).catch(loop.onError)
    for (const message of messages) {
      // It may wait here until it is no longer worth sending.
      const expiresAt = deadlineOf(message)
      const isFirst = submitBy === null || expiresAt < submitBy
      take({ message, leaseUntil, submitBy: isFirst ? expiresAt : submitBy }, null)
    }
    for (const message of toCheck) checks.start(lane, message, leaseUntil)
    return messages.length + toCheck.length + moves.length
  }

  const claimDue = async (): Promise<number> => {
    if (inFlight.size >= IN_FLIGHT_MAX) return 0
    await handoffs.reclaim()
    link.look()
    await lostLink.report()
    if (link.isDown) return 0
    const lanesMax = link.isAsking ? 1 : LANES_PER_STEP
    const lanes = await findDueLanes(world.db, world.clock.now(), lanesMax)
    let claimed = 0
    for (const lane of lanes) {
      try {
        claimed += await claim(lane)
      } catch (error) {
        loop.onError(error) // what is wrong with one lane must not stop the others
      }
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
    hasCapacity: () => inFlight.size < IN_FLIGHT_MAX && !link.isDown,
    handOn: (accountId, firstId, messages, now) => {
      const handoff = handoffs.begin(accountId, firstId, messages.length)
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      for (const given of messages) {
        take({ message: fresh(accountId, given, now), leaseUntil, submitBy: null }, handoff)
      }
    },
    drain: async () => {
      checks.stop()
      if (inFlight.size > 0) await new Promise<void>((resolve) => idle.push(resolve))
      await recorder.drain()
      await handoffs.drain()
      await lostLink.withdraw()
    },
  }
}

function fresh(accountId: AccountId, message: NewMessage, now: Date): QueuedMessage {
  // Field by field: a spread is many times slower, and this runs for every message.
  return {
    accountId,
    id: message.id,
    campaignId: message.campaignId,
    type: message.type,
    number: message.number,
    peer: message.peer,
    route: message.route,
    body: message.body,
    mediaUrls: message.mediaUrls,
    numSegments: message.numSegments,
    isReply: message.automatic !== null,
    attempts: 0,
    validitySeconds: message.validitySeconds,
    expiresAt: null,
    countedDay: null,
    isMediaChecked: false,
    createdAt: now,
    dueAt: now,
    status: 'QUEUED',
  }
}

/** False where the message was left as it is, for whoever has its lease next. */
async function dispatchOne(
  world: World,
  recorder: MoveRecorder,
  submitter: BatchWriter<Leased, Outcome>,
  leased: Leased,
): Promise<boolean> {
  const { message } = leased
  const isScheduled = message.status !== 'QUEUED'
  if (isScheduled && !(await queueScheduled(world, recorder, message, leased.leaseUntil)))
    return true
  if (!canExist(message.peer)) {
    await recordFailure(world, recorder, message, 1350)
    return true
  }
  const outcome = await submitter.add(leased)
  if (outcome.kind !== 'missedWindow' && outcome.kind !== 'down') {
    await recordAnswer(world, recorder, message, outcome)
    return true
  }
  // Without a lease somebody else may have it: then it is not ours to requeue.
  if (!isLeased(leased.leaseUntil, world.clock.now())) return false
  // What waits for the link keeps its position: the oldest goes out first.
  const dueAt = outcome.kind === 'down' ? message.dueAt : undefined
  await requeueUntried(world, recorder, message, dueAt)
  return true
}

/** Once, when it goes out: until then the timeline says how it stands. */
async function noteOutage(
  { db, clock }: World,
  lane: LaneKey,
  outage: Span | null,
  messages: readonly QueuedMessage[],
): Promise<void> {
  if (outage === null) return
  const waited = messages.filter(({ dueAt }) => waitedMs([outage], dueAt) >= WAIT_NOTED_MS)
  if (waited.length === 0) return
  const [from, until] = outage.map((ms) => new Date(ms).toISOString())
  const entry = encodeEntry(clock.now(), 'outage', `from ${from} until ${until}`)
  const notes = waited.map(({ id }) => ({ messageId: id, entry }))
  await appendEntries(db, lane.accountId, notes)
}
