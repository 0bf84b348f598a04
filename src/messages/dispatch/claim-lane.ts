// Claims the messages that one lane may send now. Computes the limit under the lane's lock. Messages that can no
// longer be sent (expired, opted out, campaign not active, over the daily cap) become moves.

import { findCampaign } from '../../campaigns/campaign-queries.js'
import { brieflyFor, type Database, type Transaction } from '../../kit/postgres/db.js'
import { findPendingNumbers } from '../../numbers/number-queries.js'
import {
  currentSlots,
  describeLimit,
  freeAt,
  isCountedAtSend,
  type LaneSlots,
  limitOf,
  nextPacificMidnight,
  pacificDay,
  partsOf,
  type Route,
  submitByOf,
  usedIn,
  withUse,
} from '../lane.js'
import {
  extendMessages,
  findDueMessages,
  findOptedOut,
  type LaneKey,
  type LaneState,
  leaseMessages,
  lockLane,
  type QueuedMessage,
  releaseLane,
} from '../lane-queries.js'
import type { ErrorCode } from '../message-errors.js'
import { appendEntries, type Move } from '../moves/move-queries.js'
import { encodeEntry } from '../timeline.js'
import { type Span, waitedMs, withLastHold } from '../validity.js'
import { expiryMoves, failureMove, isExpired } from './expiry.js'

export const CLAIM_MAX = 200
/** If this process already holds enough to reach the limit or fill the link, the lane is checked again this soon. */
const CHECK_AGAIN_MS = 250
const CHECK_LATER_MS = 10_000
/** How often a message checks whether its number is ready. */
const NUMBER_POLL_MS = 3_000
/** Waits of at least this long get a line in the timeline. */
export const WAIT_NOTED_MS = 1_000

export interface LaneClaim {
  messages: QueuedMessage[]
  /** Their media is checked before they join a claim, because that takes time. */
  toCheck: QueuedMessage[]
  moves: Move[]
  /** When the messages must have reached the carrier. Null if no limit depends on it. */
  submitBy: Date | null
  /** They are counted toward a limit right before they leave. */
  isLimited: boolean
}

export interface Conditions {
  isActive: boolean
  isEnded: boolean
  limit: number | null
  holdsAtCap: boolean
  checksMax: number
  /** Numbers that are not ready. Messages from them wait. Absent: none. */
  pending?: ReadonlySet<string>
  /** Parts that this process has claimed from the lane and not sent yet. Absent: none. */
  reserved?: number
}

export interface ClaimOptions {
  leaseUntil: Date
  /** How many messages may have their media checked. */
  checksMax: number
  /** Messages are written to the submit journal before they leave. Without an entry there, a message has not left. */
  isJournaled: boolean
  /** Whether numbers can come from a provider. */
  sellsNumbers?: boolean
  /** How many messages its link can accept now. Absent: as many as any claim. */
  max?: number
  /** Parts that this process has claimed from the lane and not sent yet. Absent: none. */
  reserved?: number
}

export function claimLane(
  db: Database,
  lane: LaneKey,
  now: Date,
  options: ClaimOptions,
): Promise<LaneClaim> {
  return db.transaction(async (tx) => {
    const state = await lockLane(tx, lane)
    if (!state) return NOTHING_CLAIMED
    const max = Math.min(CLAIM_MAX, options.max ?? CLAIM_MAX)
    if (max <= 0) {
      await releaseLane(tx, lane, state, new Date(now.getTime() + CHECK_AGAIN_MS))
      return NOTHING_CLAIMED
    }
    const conditions = await conditionsOf(tx, lane)
    const holds = lane.route === 'tmo' ? withLastHold(state.holds, state.waitingSince, now) : []
    const found = await findDueMessages(tx, lane, now, max)
    const due = holds.length === 0 ? found : found.map((message) => extended(message, holds))
    const peers = due.map((message) => message.to)
    const optedOut = await findOptedOut(tx, lane, peers)
    const current = currentSlots(lane.route, state.slots, now)
    const numbers = [...new Set(due.map((message) => message.from))]
    const pending = options.sellsNumbers && (await findPendingNumbers(tx, numbers))
    const allConditions = { ...conditions, ...options, ...(pending && { pending }) }
    const plan = planClaim(lane, allConditions, due, optedOut, current, now)
    const isCapped = lane.route === 'tmo' && conditions.limit !== null
    const claim = await leasePlan(tx, lane, plan, { ...options, isCapped, now })
    await extendTaken(tx, lane, plan, found)
    const waits = lane.route === 'tmo' ? holds : lastWait(state, now)
    await noteWaits(tx, lane, conditions, claim.messages, waits, now)
    const next = stateAfter(state, plan, { due, holds, now })
    await releaseLane(tx, lane, next, plan.notBefore ?? plan.checkAt ?? now)
    const submitBy =
      conditions.limit === null ? null : submitByOf(lane.route, now, options.leaseUntil)
    const isLimited = conditions.limit !== null && isCountedAtSend(lane.route)
    return { ...claim, moves: plan.moves, submitBy, isLimited }
  }, brieflyFor(lane.accountId))
}

const NOTHING_CLAIMED: LaneClaim = {
  messages: [],
  toCheck: [],
  moves: [],
  submitBy: null,
  isLimited: false,
}

function extended(message: QueuedMessage, holds: readonly Span[]): QueuedMessage {
  const addedMs = waitedMs(holds, message.dueAt)
  if (addedMs === 0) return message
  return { ...message, expiresAt: new Date(message.expiresAt!.getTime() + addedMs) }
}

function lastWait({ waitingSince }: LaneState, now: Date): Span[] {
  return waitingSince === null ? [] : [[waitingSince.getTime(), now.getTime()]]
}

async function leasePlan(
  tx: Transaction,
  lane: LaneKey,
  plan: Plan,
  { leaseUntil, isJournaled, isCapped, now }: ClaimOptions & { isCapped: boolean; now: Date },
): Promise<Pick<LaneClaim, 'messages' | 'toCheck'>> {
  const today = isCapped ? pacificDay(now) : null
  // Without a journal nobody knows whether they left, so their share of the cap counts as used.
  const lease = { leaseUntil, countedDay: isJournaled ? today : null }
  const going = await leaseMessages(tx, lane, idsOf(plan.messages), lease)
  const others = [...idsOf(plan.toCheck), ...plan.moves.map((move) => move.messageId)]
  const checking = await leaseMessages(tx, lane, others, { leaseUntil })
  // Messages behind them must not wait for a slow media host.
  const after = (ms: number) => ({ leaseUntil: new Date(now.getTime() + ms) })
  await leaseMessages(tx, lane, idsOf(plan.later), after(CHECK_LATER_MS))
  await leaseMessages(tx, lane, idsOf(plan.awaitingNumber), after(NUMBER_POLL_MS))
  return {
    messages: plan.messages
      .filter(({ id }) => going.has(id))
      .map((message) => (today === null ? message : { ...message, countedDay: today })),
    toCheck: plan.toCheck.filter(({ id }) => checking.has(id)),
  }
}

function idsOf(messages: readonly QueuedMessage[]): string[] {
  return messages.map((message) => message.id)
}

/** Their due_at no longer shows since when they waited, so the extra time from holds is stored. */
async function extendTaken(
  tx: Transaction,
  lane: LaneKey,
  plan: Plan,
  found: readonly QueuedMessage[],
): Promise<void> {
  const asStored = new Set(found)
  const taken = [...plan.messages, ...plan.toCheck, ...plan.later, ...plan.awaitingNumber]
  const changed = taken.filter((message) => !asStored.has(message))
  if (changed.length > 0) await extendMessages(tx, lane, changed)
}

interface Outlook {
  due: readonly QueuedMessage[]
  holds: readonly Span[]
  now: Date
}

/** A finished hold, or one that continues after midnight, is stored for the messages that still wait. */
function stateAfter(state: LaneState, plan: Plan, { due, holds, now }: Outlook): LaneState {
  const isSame =
    plan.notBefore !== null && state.waitingSince !== null && !isOver(holds, state, now)
  const waitingSince = isSame ? state.waitingSince : plan.notBefore && now
  const oldestMs = Math.min(...due.map((message) => message.dueAt.getTime()))
  const kept = (isSame ? state.holds : holds).filter(([, until]) => until > oldestMs)
  return { slots: plan.slots, waitingSince, holds: kept }
}

/** The day of the cap has passed, if a cap holds the lane. */
function isOver(holds: readonly Span[], { waitingSince }: LaneState, now: Date): boolean {
  return holds.length > 0 && waitingSince !== null && nextPacificMidnight(waitingSince) <= now
}

async function conditionsOf(
  tx: Transaction,
  lane: LaneKey,
): Promise<Omit<Conditions, 'checksMax' | 'pending'>> {
  const campaign = await findCampaign(tx, lane.accountId, lane.campaignId)
  return {
    isActive: campaign?.status === 'ACTIVE',
    isEnded: campaign?.status === 'ENDED',
    limit: campaign ? limitOf(lane.route, campaign) : null,
    holdsAtCap: campaign?.holdAtDailyCap ?? false,
  }
}

interface Plan extends Omit<LaneClaim, 'submitBy' | 'isLimited'> {
  /** To be checked after others. */
  later: QueuedMessage[]
  /** Their number is not ready. */
  awaitingNumber: QueuedMessage[]
  slots: LaneSlots
  /** The limit is reached until then. Null if something else stops the lane. */
  notBefore: Date | null
  /** Only messages that this process already holds reach the limit, so the lane is checked again soon. */
  checkAt: Date | null
}

/** Decides which due messages are sent, which fail, and what the lane has used afterwards. Pure. */
export function planClaim(
  lane: Pick<LaneKey, 'route'>,
  conditions: Conditions,
  due: readonly QueuedMessage[],
  optedOut: ReadonlySet<string>,
  currentUse: LaneSlots,
  now: Date,
): Plan {
  const { limit, reserved = 0 } = conditions
  const isCountedLater = isCountedAtSend(lane.route)
  let planned = isCountedLater ? reserved : 0
  const plan: Plan = {
    messages: [],
    toCheck: [],
    later: [],
    awaitingNumber: [],
    moves: [],
    slots: currentUse,
    notBefore: null,
    checkAt: null,
  }
  for (const message of due) {
    if (isExpired(message, now)) {
      plan.moves.push(...expiryMoves(message, now))
      continue
    }
    const refusal = refusalOf(lane.route, message, conditions, optedOut)
    if (refusal) {
      plan.moves.push(failureMove(message, refusal, now))
      continue
    }
    if (conditions.pending?.has(message.from)) {
      plan.awaitingNumber.push(message)
      continue
    }
    if (message.mediaUrls.length > 0 && !message.isMediaChecked) {
      const hasCapacity = plan.toCheck.length < conditions.checksMax
      ;(hasCapacity ? plan.toCheck : plan.later).push(message)
      continue
    }
    if (limit === null) {
      plan.messages.push(message)
      continue
    }
    const parts = isCounted(lane, message, now) ? 0 : partsOf(message)
    if (usedIn(plan.slots) + planned + parts > limit) {
      if (lane.route === 'tmo' && !conditions.holdsAtCap) {
        plan.moves.push(failureMove(message, 1320, now))
        continue
      }
      if (usedIn(plan.slots) + parts > limit)
        plan.notBefore = freeAt(lane.route, plan.slots, limit, parts, now)
      else plan.checkAt = new Date(now.getTime() + CHECK_AGAIN_MS)
      break
    }
    if (isCountedLater) planned += parts
    else plan.slots = withUse(lane.route, plan.slots, now, parts)
    plan.messages.push(message)
  }
  return plan
}

// A retry on the same day was counted by the previous attempt, which the carrier did not accept. A message that the
// carrier may have accepted has no counted day. Toward AT&T, every attempt that leaves counts.
function isCounted({ route }: Pick<LaneKey, 'route'>, { countedDay }: QueuedMessage, now: Date) {
  return route === 'tmo' && countedDay === pacificDay(now)
}

function refusalOf(
  route: Route,
  message: QueuedMessage,
  conditions: Conditions,
  optedOut: ReadonlySet<string>,
): ErrorCode | null {
  if (conditions.isEnded) return 1410
  if (!conditions.isActive) return 1340
  if (optedOut.has(message.to) && !message.isReply) return 1330
  // It would wait forever and block everything behind it.
  if (conditions.limit !== null && partsOf(message) > conditions.limit) {
    return route === 'tmo' ? 1320 : 1375
  }
  return null
}

/** Counts only the time that the limit stopped the lane. Other waits have other reasons. */
async function noteWaits(
  tx: Transaction,
  lane: LaneKey,
  { limit }: Pick<Conditions, 'limit'>,
  messages: readonly QueuedMessage[],
  waits: readonly Span[],
  now: Date,
): Promise<void> {
  if (limit === null || waits.length === 0) return
  const notes = messages
    .map(({ id, dueAt }) => ({ messageId: id, waitedMs: waitedMs(waits, dueAt) }))
    .filter(({ waitedMs }) => waitedMs >= WAIT_NOTED_MS)
    .map(({ messageId, waitedMs }) => {
      const detail = `${describeLimit(lane.route, limit)}: ${(waitedMs / 1000).toFixed(1)} s`
      return { messageId, entry: encodeEntry(now, 'waited', detail) }
    })
  if (notes.length > 0) await appendEntries(tx, lane.accountId, notes)
}
