// The end of a campaign: what is left to do, and what is done. Its owner can read both.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'

/**
 * In this order. Opt-outs are copied only if numbers move, and the latest ones again at the end. While it is
 * settling, everything is cleaned up, but a send that was in progress may still arrive.
 */
export const PHASES = ['optouts', 'numbers', 'late_optouts', 'messages', 'settling'] as const
export type Phase = (typeof PHASES)[number]

export interface TerminationRequest {
  campaignId: string
  /** Null: its numbers are released. */
  moveNumbersTo: string | null
}

export interface Termination {
  accountId: AccountId
  campaignId: string
  /** Null: its numbers are released. */
  moveNumbersTo: string | null
  endedAt: Date
  phase: Phase
  /** Opt-outs of recipients up to this one are copied. */
  optoutsAfter: string
  numbersReleased: number
  numbersMoved: number
  messagesCancelled: number
  refundedMicros: bigint
  /** When there may be more to do; null: finished. */
  checkAt: Date | null
}

/** A campaign that was never approved has no numbers and no messages, so there is nothing to clean up. */
export function newTermination(
  { accountId, id, approvedAt }: Campaign,
  moveNumbersTo: string | null,
  now: Date,
): Termination {
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
    checkAt: approvedAt && now,
  }
}

export function isCleared({ phase, checkAt }: Termination): boolean {
  return phase === 'settling' || checkAt === null
}

/** Nothing is left of this phase. */
export function nextPhase({ phase, moveNumbersTo }: Termination): Phase {
  if (phase === 'optouts') return 'numbers'
  return phase === 'numbers' && moveNumbersTo !== null ? 'late_optouts' : 'messages'
}
