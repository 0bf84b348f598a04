// The end of a campaign: what it still has to do, and what it has done. Its owner reads both.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'

/**
 * In this order. Only where numbers move do opt-outs go with them, the latest once more at last. While it
 * is settling everything is cleared up, but a send that was under way may still turn up.
 */
export type Phase = 'optouts' | 'numbers' | 'late_optouts' | 'messages' | 'settling'

export interface WantedEnd {
  campaignId: string
  /** Null: its numbers are released. */
  moveNumbersTo: string | null
}

export interface Ending {
  accountId: AccountId
  campaignId: string
  /** Null: its numbers are released. */
  moveNumbersTo: string | null
  endedAt: Date
  phase: Phase
  /** The opt-outs of recipients up to this one are carried over. */
  optoutsAfter: string
  numbersReleased: number
  numbersMoved: number
  messagesCancelled: number
  refundedMicros: bigint
  /** When there may be more to do; null: finished. */
  lookAt: Date | null
}

/** One that was never approved has neither numbers nor messages: there is nothing to clear up. */
export function newEnding(
  { accountId, id, approvedAt }: Campaign,
  moveNumbersTo: string | null,
  now: Date,
): Ending {
  return {
    accountId,
    campaignId: id,
    moveNumbersTo,
    endedAt: now,
    phase: moveNumbersTo === null ? 'numbers' : 'optouts',
    optoutsAfter: '',
    numbersReleased: 0,
    numbersMoved: 0,
    messagesCancelled: 0,
    refundedMicros: 0n,
    lookAt: approvedAt && now,
  }
}

export function isCleared({ phase, lookAt }: Ending): boolean {
  return phase === 'settling' || lookAt === null
}

/** Nothing is left of this phase. */
export function nextPhase({ phase, moveNumbersTo }: Ending): Phase {
  if (phase === 'optouts') return 'numbers'
  return phase === 'numbers' && moveNumbersTo !== null ? 'late_optouts' : 'messages'
}
