// Whether the provider has called the service for the test message of a set-up: its receipt is one that no message here
// answers to, and is kept as such by whichever process was called.

import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../../kit/world.js'
import { takeReceiptsOf } from '../../messages/moves/receipt-queries.js'

const LOOK_MS = 500
/** Calls come after the message: older ones are of others. */
const OLDEST_MS = 60 * 60_000

export interface AwaitedCall {
  link: string
  /** Of the message, at the provider. */
  messageId: string
  /** Ends the waiting; it is looked once more. */
  signal: AbortSignal
}

export async function awaitCall(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  { link, messageId, signal }: AwaitedCall,
): Promise<boolean> {
  for (;;) {
    const isLast = signal.aborted
    const since = new Date(clock.now().getTime() - OLDEST_MS)
    if (await takeReceiptsOf(db, { link, carrierId: messageId, since })) return true
    if (isLast) return false
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {}) // ended: the last look
  }
}
