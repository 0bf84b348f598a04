// Takes from one lane what it may send now. Works out the limit under the lane's lock; what can no
// longer be sent (opted out, campaign not active, over the daily cap) is answered with moves.

import { findCampaign } from '../campaigns/campaign-queries.js'
import type { Database, Transaction } from '../kit/db.js'
import {
  currentSlots,
  freeAt,
  limitOf,
  limitWords,
  pacificDay,
  type Route,
  type Slots,
  submitByOf,
  usedIn,
  withUse,
} from './lane.js'
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
import { EXPIRY_MS } from './retry-delay.js'
import { encodeEntry } from './timeline.js'

const CLAIM_MAX = 200
const CHECK_LATER_MS = 10_000
/** Waiting this long for a limit is worth a line in the timeline. */
const WAIT_NOTED_MS = 1_000

/** Codes that are a carrier's word elsewhere: here nobody but us has seen the message. */
const OWN_TEXTS: Partial<Record<ErrorCode, string>> = {
  1320: `${MESSAGE_ERRORS[1320].text}: holdAtDailyCap on the campaign lets messages wait for the next day`,
  1375: "The message has more segments than the campaign's limit a minute",
}

export interface Claim {
  messages: QueuedMessage[]
  /** Their media takes its time, so it is checked before they take part in a claim. */
  toCheck: QueuedMessage[]
  moves: Move[]
  /** Until when the messages must be with the carrier; null where no limit depends on it. */
  submitBy: Date | null
}

export interface Terms {
  isActive: boolean
  limit: number | null
  holdsAtCap: boolean
  checksMax: number
}

export interface ClaimTerms {
  leaseUntil: Date
  /** How many messages may have their media checked. */
  checksMax: number
}

export function claimLane(
  db: Database,
  lane: LaneKey,
  now: Date,
  { leaseUntil, checksMax }: ClaimTerms,
): Promise<Claim> {
  return db.transaction(async (tx) => {
    const state = await lockLane(tx, lane)
    if (!state) return { messages: [], toCheck: [], moves: [], submitBy: null }
    const terms = await termsOf(tx, lane)
    const due = await findDueMessages(tx, lane, now, CLAIM_MAX)
    const peers = due.map((message) => message.peer)
    const optedOut = await findOptedOut(tx, lane, peers)
    const current = currentSlots(lane.route, state.slots, now)
    const plan = planClaim(lane, { ...terms, checksMax }, due, optedOut, current, now)
    const ids = {
      going: plan.messages.map((message) => message.id),
      others: [...plan.toCheck.map((m) => m.id), ...plan.moves.map((move) => move.messageId)],
    }
    const expiresAt = new Date(now.getTime() + EXPIRY_MS)
    const leased = await leaseMessages(tx, lane, ids, { leaseUntil, expiresAt })
    // Those behind them must not wait for a slow media host.
    const later = { going: [], others: plan.later.map((message) => message.id) }
    await leaseMessages(tx, lane, later, { leaseUntil: checkLaterAt(now), expiresAt })
    const messages = plan.messages.filter((message) => leased.has(message.id))
    const toCheck = plan.toCheck.filter((message) => leased.has(message.id))
    if (state.heldFrom) await noteWaits(tx, lane, terms, messages, state.heldFrom, now)
    const heldFrom = plan.notBefore && (state.heldFrom ?? now)
    await releaseLane(tx, lane, { slots: plan.slots, heldFrom }, plan.notBefore ?? now)
    const submitBy = terms.limit === null ? null : submitByOf(lane.route, now, leaseUntil)
    return { messages, toCheck, moves: plan.moves, submitBy }
  })
}

function checkLaterAt(now: Date): Date {
  return new Date(now.getTime() + CHECK_LATER_MS)
}

async function termsOf(tx: Transaction, lane: LaneKey): Promise<Omit<Terms, 'checksMax'>> {
  const campaign = await findCampaign(tx, lane.accountId, lane.campaignId)
  return {
    isActive: campaign?.status === 'ACTIVE',
    limit: campaign ? limitOf(lane.route, campaign) : null,
    holdsAtCap: campaign?.holdAtDailyCap ?? false,
  }
}

interface Plan extends Omit<Claim, 'submitBy'> {
  /** To be checked when others have been. */
  later: QueuedMessage[]
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
  const { limit } = terms
  const plan: Plan = {
    messages: [],
    toCheck: [],
    later: [],
    moves: [],
    slots: currentUse,
    notBefore: null,
  }
  for (const message of due) {
    const refusal = refusalOf(lane.route, message, terms, optedOut)
    if (refusal) {
      plan.moves.push(failure(message, refusal, now))
      continue
    }
    if (message.mediaUrls.length > 0 && !message.isMediaChecked) {
      const hasRoom = plan.toCheck.length < terms.checksMax
      ;(hasRoom ? plan.toCheck : plan.later).push(message)
      continue
    }
    if (limit === null) {
      plan.messages.push(message)
      continue
    }
    const segments = isCounted(lane, message, now) ? 0 : message.numSegments
    if (usedIn(plan.slots) + segments > limit) {
      if (lane.route === 'tmo' && !terms.holdsAtCap) {
        plan.moves.push(failure(message, 1320, now))
        continue
      }
      plan.notBefore = freeAt(lane.route, plan.slots, limit, segments, now)
      break
    }
    plan.slots = withUse(lane.route, plan.slots, now, segments)
    plan.messages.push(message)
  }
  return plan
}

// A retry of the same day was counted by the first try; toward AT&T every try counts.
function isCounted({ route }: Pick<LaneKey, 'route'>, { expiresAt }: QueuedMessage, now: Date) {
  if (route !== 'tmo' || expiresAt === null) return false
  return pacificDay(new Date(expiresAt.getTime() - EXPIRY_MS)) === pacificDay(now)
}

function refusalOf(
  route: Route,
  message: QueuedMessage,
  terms: Terms,
  optedOut: ReadonlySet<string>,
): ErrorCode | null {
  if (!terms.isActive) return 1340
  if (optedOut.has(message.peer) && !message.isReply) return 1330
  // It would wait for ever, and everything behind it.
  if (terms.limit !== null && message.numSegments > terms.limit) {
    return route === 'tmo' ? 1320 : 1375
  }
  return null
}

function failure(message: QueuedMessage, errorCode: ErrorCode, now: Date): Move {
  const errorMessage = OWN_TEXTS[errorCode] ?? MESSAGE_ERRORS[errorCode].text
  const entry = encodeEntry(now, 'failed', `${errorCode} ${errorMessage}`)
  return { messageId: message.id, target: 'FAILED', errorCode, errorMessage, entry, isUnseen: true }
}

/** Only the time while the limit held the lane: other waits have other reasons. */
async function noteWaits(
  tx: Transaction,
  lane: LaneKey,
  { limit }: Pick<Terms, 'limit'>,
  messages: readonly QueuedMessage[],
  heldFrom: Date,
  now: Date,
): Promise<void> {
  if (limit === null) return
  const notes = messages
    .map(({ id, dueAt }) => ({
      messageId: id,
      waitedMs: now.getTime() - Math.max(dueAt.getTime(), heldFrom.getTime()),
    }))
    .filter(({ waitedMs }) => waitedMs >= WAIT_NOTED_MS)
    .map(({ messageId, waitedMs }) => {
      const detail = `${limitWords(lane.route, limit)}: ${(waitedMs / 1000).toFixed(1)} s`
      return { messageId, entry: encodeEntry(now, 'waited', detail) }
    })
  if (notes.length > 0) await appendEntries(tx, lane.accountId, notes)
}
