// Takes from one lane what it may send now. Works out the limit under the lane's lock; what can no
// longer be sent (opted out, campaign not active, over the daily cap) is answered with moves.

import { findCampaign } from '../campaigns/campaign-queries.js'
import type { Database, Transaction } from '../kit/db.js'
import { currentSlots, freeAt, limitOf, limitWords, type Slots, usedIn, withUse } from './lane.js'
import {
  findDueMessages,
  findOptedOut,
  type LaneKey,
  leaseMessages,
  lockLane,
  type QueuedMessage,
  releaseLane,
} from './lane-queries.js'
import { type ErrorCode, MESSAGE_ERRORS } from './message-errors.js'
import { appendEntries, type Move } from './move-queries.js'
import { encodeEntry } from './timeline.js'

const CLAIM_MAX = 200
/** Waiting this long for a limit is worth a line in the timeline. */
const WAIT_NOTED_MS = 1_000

export interface Claim {
  messages: QueuedMessage[]
  moves: Move[]
}

interface Terms {
  isActive: boolean
  limit: number | null
  holdsAtCap: boolean
}

export function claimLane(
  db: Database,
  lane: LaneKey,
  now: Date,
  leaseUntil: Date,
): Promise<Claim> {
  return db.transaction(async (tx) => {
    const stored = await lockLane(tx, lane)
    if (!stored) return { messages: [], moves: [] }
    const terms = await termsOf(tx, lane)
    const due = await findDueMessages(tx, lane, now, CLAIM_MAX)
    const optedOut = await findOptedOut(
      tx,
      lane,
      due.map((message) => message.peer),
    )
    const plan = planClaim(lane, terms, due, optedOut, currentSlots(lane.route, stored, now), now)
    const taken = [...plan.messages.map((m) => m.id), ...plan.moves.map((m) => m.messageId)]
    if (taken.length > 0) await leaseMessages(tx, lane, taken, leaseUntil)
    await noteWaits(tx, lane, terms, plan.messages, now)
    await releaseLane(tx, lane, plan.slots, plan.notBefore)
    return { messages: plan.messages, moves: plan.moves }
  })
}

async function termsOf(tx: Transaction, lane: LaneKey): Promise<Terms> {
  const campaign = await findCampaign(tx, lane.accountId, lane.campaignId)
  return {
    isActive: campaign?.status === 'ACTIVE',
    limit: campaign ? limitOf(lane.route, campaign) : null,
    holdsAtCap: campaign?.holdAtDailyCap ?? false,
  }
}

interface Plan extends Claim {
  slots: Slots
  /** The limit is used up until then; null where it is not what stops the lane. */
  notBefore: Date | null
}

/** Pure: which of the due messages go out, which fail, and what the lane has used afterwards. */
export function planClaim(
  lane: Pick<LaneKey, 'route'>,
  terms: Terms,
  due: readonly QueuedMessage[],
  optedOut: ReadonlySet<string>,
  currentUse: Slots,
  now: Date,
): Plan {
  const plan: Plan = { messages: [], moves: [], slots: currentUse, notBefore: null }
  for (const message of due) {
    const refusal = refusalOf(message, terms, optedOut)
    if (refusal) {
      plan.moves.push(failure(message, refusal, now))
      continue
    }
    // A retry within one day was counted by its first try; toward AT&T every try counts.
    const segments = lane.route === 'tmo' && message.attempts > 0 ? 0 : message.numSegments
    if (terms.limit !== null && usedIn(plan.slots) + segments > terms.limit) {
      if (lane.route === 'tmo' && !terms.holdsAtCap) {
        plan.moves.push(failure(message, 1320, now))
        continue
      }
      plan.notBefore = freeAt(lane.route, plan.slots, terms.limit, segments, now)
      break
    }
    if (terms.limit !== null) plan.slots = withUse(lane.route, plan.slots, now, segments)
    plan.messages.push(message)
  }
  return plan
}

function refusalOf(
  message: QueuedMessage,
  terms: Terms,
  optedOut: ReadonlySet<string>,
): ErrorCode | null {
  if (!terms.isActive) return 1340
  if (optedOut.has(message.peer) && !message.isReply) return 1330
  // It would wait for ever, and everything behind it.
  if (terms.limit !== null && message.numSegments > terms.limit) return 1375
  return null
}

function failure(message: QueuedMessage, errorCode: ErrorCode, now: Date): Move {
  const entry = encodeEntry(now, 'failed', `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`)
  return { messageId: message.id, target: 'FAILED', errorCode, entry }
}

async function noteWaits(
  tx: Transaction,
  lane: LaneKey,
  { limit }: Terms,
  messages: readonly QueuedMessage[],
  now: Date,
): Promise<void> {
  if (limit === null) return
  const notes = messages
    .map((message) => ({ message, waitedMs: now.getTime() - message.dueAt.getTime() }))
    .filter(({ waitedMs }) => waitedMs >= WAIT_NOTED_MS)
    .map(({ message, waitedMs }) => ({
      messageId: message.id,
      entry: encodeEntry(
        now,
        'waited',
        `${limitWords(lane.route, limit)}: ${(waitedMs / 1000).toFixed(1)} s`,
      ),
    }))
  if (notes.length > 0) await appendEntries(tx, lane.accountId, notes)
}
