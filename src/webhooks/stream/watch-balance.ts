// The balance on the live stream. Every message changes it, and an event for each would be a row on the path of
// every send. So the stream reads the balance once a second instead.

import type { AccountId } from '../../accounts/account.js'
import { wireTime } from '../../kit/contract/wire-time.js'
import { toDollars } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { findBalanceMicros } from '../../ledger/ledger-queries.js'
import type { EventBody } from '../event-body.js'

const POLL_EVERY_MS = 1_000

/** An event that is not stored and has no ID. */
export type BalanceBody = Omit<EventBody, 'id'>

/** Sends the balance first as `current`, then after each change. Returns the function that stops it. */
export function watchBalance(
  { db, clock, log }: Pick<World, 'db' | 'clock' | 'log'>,
  accountId: AccountId,
  tell: (body: BalanceBody) => void,
): () => void {
  let lastMicros: bigint | null = null
  let isLooking = false
  let isOver = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      const micros = await findBalanceMicros(db, accountId)
      if (isOver || micros === lastMicros) return
      const change = lastMicros === null ? 'current' : 'moved'
      lastMicros = micros
      tell({
        eventType: 'balance.changed',
        createdAt: wireTime(clock.now()),
        campaignId: null,
        data: { change, balance: toDollars(micros) },
      })
    } catch (error) {
      if (!isOver) log.warn({ err: error }, 'reading the balance failed')
    } finally {
      isLooking = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), POLL_EVERY_MS)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
