// The dispatcher moves messages from the queue to the carrier. New messages arrive in memory right after their
// commit. Claims find messages that were not handed off, were requeued or scheduled, or belonged to a dead process.
// It holds no connection and no lock while it waits for a carrier.

import type { AccountId } from '../../accounts/account.js'
import { InFlight } from '../../kit/in-flight.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { PollAhead, type PollRange } from '../../kit/work/poll-ahead.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { canExist } from '../../text/phone-number.js'
import type { Carrier, SubmitAnswer } from '../carrier-port.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import { LEASE_MS } from '../lane.js'
import { type DueLane, findDueLanes, type LaneKey, type QueuedMessage } from '../lane-queries.js'
import type { AddressBook } from '../media/address-book.js'
import { appendEntries } from '../moves/move-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import type { HandoffTarget } from '../send/accept-messages.js'
import { encodeEntry } from '../timeline.js'
import { type Span, waitedMs } from '../validity.js'
import { CarrierLink } from './carrier-link.js'
import { CarrierTiming } from './carrier-timing.js'
import { CLAIM_MAX, claimLane, WAIT_NOTED_MS } from './claim-lane.js'
import { deadlineOf } from './expiry.js'
import { type Handoff, Handoffs } from './handoffs.js'
import { isLeased, type Leased } from './leased.js'
import { LinkOutageReporter } from './link-outage-reporter.js'
import { MediaChecks } from './media-checks.js'
import type { OutboundMedia } from './outbound-media.js'
import { LaneLoad } from './queue/lane-load.js'
import { SendPermits } from './queue/send-permits.js'
import { SubmitQueue } from './queue/submit-queue.js'
import { endDispatch, startDispatch } from './queue/trace-dispatch.js'
import {
  queueScheduled,
  recordAnswer,
  recordFailure,
  recordUnknown,
  requeueUntried,
} from './record-answers.js'
import { SubmitJournal } from './submit-journal.js'
import { submitTimely } from './submit-messages.js'

/** Beyond this, accepted messages wait in the database, where lanes alternate. */
const IN_FLIGHT_MAX = 4_000
/** If this many wait for one link, new messages are left to claims, so the other links keep their share. */
const WAITING_MAX = 2_000
/** A lane may hold this many here no matter how long its link's queue is, so it gets its turn. */
const LANE_SHARE = 40
const HINTS = ['messages', 'clock'] as const
const IDLE_MS = 200
const LANES_PER_STEP = 50
/** If no link for a message is up, it is checked again after this time. */
const ROUTE_DOWN_MS = 2_000

export interface DispatcherDeps {
  carrier: Carrier
  recorder: MoveRecorder
  media: Pick<OutboundMedia, 'check'>
  addresses: Pick<AddressBook, 'open'>
  evidence: Pick<LinkEvidence, 'count'>
}

export class Dispatcher implements HandoffTarget {
  readonly loop: Loop
  readonly #world: World
  readonly #recorder: MoveRecorder
  readonly #carrier: Carrier
  readonly #checks: MediaChecks
  readonly #handoffs: Handoffs
  readonly #link: CarrierLink
  readonly #linkOutage: LinkOutageReporter
  readonly #journal: SubmitJournal
  readonly #permits: SendPermits
  /** By link, so a slow link delays only its own messages. */
  readonly #queue: SubmitQueue
  /** Until they are recorded or released, by message. */
  readonly #inFlight = new InFlight<Leased>()
  readonly #load = new LaneLoad()
  readonly #aside: KeyedBackoff
  readonly #lanes: PollAhead<DueLane>
  readonly #timing: CarrierTiming

  constructor(world: World, deps: DispatcherDeps) {
    const { carrier, recorder, addresses } = deps
    const link = new CarrierLink(carrier, world)
    this.#world = world
    this.#recorder = recorder
    this.#carrier = carrier
    this.#checks = new MediaChecks(world, deps)
    this.#handoffs = new Handoffs(world)
    this.#link = link
    this.#linkOutage = new LinkOutageReporter(world, { carrier, link })
    const journal = new SubmitJournal(world, carrier, deps.evidence)
    this.#journal = journal
    const permits = new SendPermits(world, journal, this.#load)
    this.#permits = permits
    this.#queue = new SubmitQueue({
      capacityOf: (group) => this.#capacityOf(group),
      submit: (batch) => submitTimely(world, { carrier, link, permits, addresses }, batch),
    })
    this.loop = {
      name: 'dispatch',
      hints: HINTS,
      idleMs: IDLE_MS,
      step: () => this.#claim(),
      onError: (error) => world.log.error({ err: error }, 'claiming messages failed'),
    }
    this.#aside = new KeyedBackoff(this.loop.onError)
    const { db, hints } = world
    const limit = LANES_PER_STEP
    const read = ({ until, accountIds }: PollRange) => findDueLanes(db, until, limit, accountIds)
    this.#lanes = new PollAhead({ hints, turn: 'dispatch', announcedBy: 'messages', read, limit })
    for (const hint of HINTS) hints.subscribe(hint, (accountIds) => this.#lanes.hint(accountIds))
    this.#timing = new CarrierTiming(world.metrics)
  }

  hasCapacity(): boolean {
    const hasRoom = this.#inFlight.size < IN_FLIGHT_MAX && this.#queue.longestWaiting < WAITING_MAX
    return hasRoom && !this.#link.isDown
  }

  handOff(
    accountId: AccountId,
    firstId: string,
    messages: readonly QueuedMessage[],
    now: Date,
  ): void {
    const handoff = this.#handoffs.begin(accountId, firstId, messages.length)
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const lease = { leaseUntil, submitBy: null, dueAt: null, isLimited: false }
    for (const message of messages) this.#hold({ message, ...lease }, handoff)
  }

  /** Waits until messages in flight are submitted and recorded. Media checks are left to the next process. */
  async drain(): Promise<void> {
    this.#checks.stop()
    await this.#inFlight.drain()
    await this.#recorder.drain()
    await this.#handoffs.drain()
    await this.#journal.drain()
    await this.#linkOutage.withdraw()
  }

  async #claim(): Promise<number> {
    const isFull = this.#inFlight.size >= IN_FLIGHT_MAX
    if (isFull || this.#link.isDown) this.#lanes.pass()
    if (isFull) return 0
    await this.#journal.reclaim()
    await this.#handoffs.reclaim()
    this.#link.look()
    await this.#linkOutage.report()
    if (this.#link.isDown) return 0
    const lanesMax = this.#link.isAsking ? 1 : LANES_PER_STEP
    let claimed = 0
    const due = await this.#lanes.find(this.#world.clock.now())
    for (const lane of due.slice(0, lanesMax)) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) break
      // An error in one lane must not stop the others.
      const key = `${lane.accountId} ${lane.campaignId} ${lane.route}`
      const count = await this.#aside.attempt(key, () => this.#claimOf(lane))
      claimed += count ?? 0
    }
    return claimed
  }

  async #claimOf(lane: LaneKey): Promise<number> {
    const { db, clock } = this.#world
    const now = clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const checksMax = this.#checks.capacityFor(lane)
    const options = {
      ...{ leaseUntil, checksMax, isJournaled: !this.#carrier.isSimulated },
      sellsNumbers: this.#carrier.sellsNumbers?.() ?? false,
      ...{ max: this.#claimMax(lane), reserved: this.#load.of(lane).parts },
    }
    const claim = await claimLane(db, lane, now, options)
    const { messages, toCheck, moves, submitBy, isLimited } = claim
    const { onError } = this.loop
    await noteOutage(this.#world, lane, this.#link.lastOutage, messages).catch(onError)
    for (const move of moves) this.#recorder.move(lane.accountId, move).catch(onError)
    for (const message of messages) {
      // It may expire while it waits here.
      const expiresAt = deadlineOf(message)
      const isFirst = submitBy === null || expiresAt < submitBy
      const lease = { leaseUntil, submitBy: isFirst ? expiresAt : submitBy, dueAt: leaseUntil }
      this.#hold({ message, ...lease, isLimited }, null)
    }
    for (const message of toCheck) this.#checks.start(lane, message, leaseUntil)
    return messages.length + toCheck.length + moves.length
  }

  /** As many as its link sends soon, because other processes cannot send what waits here. */
  #claimMax(lane: LaneKey): number {
    if (!this.#carrier.capacityOf) return CLAIM_MAX
    const { group, messages } = this.#load.of(lane)
    if (group === null) return LANE_SHARE // known later
    const ahead = Math.max(2 * this.#capacityOf(group), this.#queue.perSecond(group))
    return Math.max(0, ahead - this.#queue.waitingFor(group), LANE_SHARE - messages)
  }

  #capacityOf(group: string): number {
    return this.#carrier.capacityOf?.(group) ?? Number.POSITIVE_INFINITY
  }

  /** Under the lease of its handoff, or of its row if it was claimed. */
  #hold(leased: Leased, handoff: Handoff | null): void {
    const { id } = leased.message
    const current = this.#inFlight.get(id)
    if (current) {
      // A clock jump ended its lease while it is in flight, so it gets a new one.
      current.leaseUntil = leased.leaseUntil
      current.submitBy = leased.submitBy
      return
    }
    this.#inFlight.hold(id, leased)
    this.#load.add(leased)
    startDispatch(this.#world, leased)
    this.#submit(leased).then(
      (isSettled) => {
        if (handoff && isSettled) this.#handoffs.settle(handoff)
        endDispatch(this.#world, leased)
        this.#letGo(leased)
      },
      (error) => {
        // The lease ends and the message is claimed again. Nothing is lost, but the operator should know.
        const trace = this.#world.tracing?.logFields(id)
        this.#world.log.error({ err: error, message: id, ...trace }, 'dispatch failed')
        endDispatch(this.#world, leased, error)
        this.#letGo(leased)
      },
    )
  }

  #letGo(leased: Leased): void {
    this.#load.remove(leased)
    this.#inFlight.release(leased.message.id)
  }

  /** False if the message was left unchanged for the next holder of its lease. */
  async #submit(leased: Leased): Promise<boolean> {
    const world = this.#world
    const recorder = this.#recorder
    const { message } = leased
    const isScheduled = message.status !== 'QUEUED'
    if (isScheduled && !(await queueScheduled(world, recorder, message, leased.leaseUntil))) {
      return true
    }
    if (!canExist(message.to)) {
      await recordFailure(world, recorder, message, 1350)
      return true
    }
    if (this.#carrier.isLandline?.(message.to)) {
      await recordFailure(world, recorder, message, 1360)
      return true
    }
    const preparing = this.#carrier.prepare?.(message.from)
    if (preparing) await preparing
    const group = this.#groupOf(message)
    this.#load.goesBy(leased, group)
    const outcome = await this.#queue.add(group, leased)
    leased.isRevoked = true
    try {
      const isSettled = await this.#record(leased, outcome)
      if (leased.journal) this.#journal.settle(leased.journal)
      return isSettled
    } catch (error) {
      if (leased.journal) this.#journal.leave(leased.journal)
      throw error
    }
  }

  #groupOf({ from, to, campaignId, type }: QueuedMessage): string {
    return this.#carrier.groupOf?.({ from, to, campaignId, type }) ?? ''
  }

  async #record(leased: Leased, outcome: SubmitAnswer): Promise<boolean> {
    const world = this.#world
    const recorder = this.#recorder
    const { message } = leased
    this.#timing.answered(leased, outcome, world.clock.now())
    if (outcome.kind === 'window_missed' || outcome.kind === 'down') {
      return this.#release(leased, outcome)
    }
    if (outcome.kind === 'unknown') {
      await recordUnknown(world, { carrier: this.#carrier, recorder }, message, outcome)
      return true
    }
    await recordAnswer(world, recorder, message, outcome)
    return true
  }

  /** Messages that never reached the carrier go back to the queue. */
  async #release(
    leased: Leased,
    why: Extract<SubmitAnswer, { kind: 'window_missed' | 'down' }>,
  ): Promise<boolean> {
    const { message, leaseUntil } = leased
    const now = this.#world.clock.now()
    await this.#permits.giveBack(leased)
    // Without a lease, another process may have it, so this one must not requeue it.
    if (!isLeased(leaseUntil, now)) return false
    const dueAt = why.kind === 'down' ? waitsUntil(why, message, now) : message.dueAt
    await requeueUntried(this.#world, this.#recorder, message, dueAt)
    return true
  }
}

/**
 * A message that waits for the only link keeps its position, so the oldest goes first. A message that waits for one
 * of several links lets others pass, because other links may send them.
 */
function waitsUntil(
  { isElsewhereUp, retryAfterMs = ROUTE_DOWN_MS }: Extract<SubmitAnswer, { kind: 'down' }>,
  { dueAt }: QueuedMessage,
  now: Date,
): Date {
  return isElsewhereUp ? new Date(now.getTime() + retryAfterMs) : dueAt
}

/** Noted once, when the message is sent. Until then the timeline shows the current state. */
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
