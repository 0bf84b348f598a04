// Which batches this browser has sent, and how far. The service's idempotency keys expire after 24 hours. After
// that, only this record prevents a file from being sent again.

import { serviceNow } from '../../../lib/service-time'

/** How far a batch was sent from this browser before. */
export interface BatchBefore {
  firstAt: string
  blocks: number
  blocksDone: number
  accepted: number
  /** Rows of the next block that are left, by their place in it. Undefined: all of them. */
  open?: readonly number[] | undefined
}

/** One hour less than the service's retention, so no key expires while it is used. */
const KEYS_KEPT_MS = 23 * 3_600_000
const KEPT_MAX = 30

export function recallBatch(accountId: string, name: string): BatchBefore | null {
  return readAll(accountId)[name] ?? null
}

/** The service's keys for this batch have expired. */
export function isForgotten({ firstAt }: BatchBefore): boolean {
  return serviceNow().getTime() - Date.parse(firstAt) > KEYS_KEPT_MS
}

export function isWhole({ blocks, blocksDone }: BatchBefore): boolean {
  return blocksDone >= blocks
}

export function rememberBatch(
  accountId: string,
  name: string,
  { blocks, blocksDone, accepted, open }: Omit<BatchBefore, 'firstAt'>,
): void {
  const all = readAll(accountId)
  const before = all[name]
  // Continuing starts over: until it gets further, the earlier record is the better one.
  const isFurther = blocksDone >= (before?.blocksDone ?? 0)
  all[name] = {
    firstAt: before?.firstAt ?? serviceNow().toISOString(),
    blocks,
    blocksDone: Math.max(before?.blocksDone ?? 0, blocksDone),
    accepted: Math.max(before?.accepted ?? 0, accepted),
    open: isFurther ? open : before?.open,
  }
  const newest = Object.entries(all).sort(([, a], [, b]) => b.firstAt.localeCompare(a.firstAt))
  try {
    const text = JSON.stringify(Object.fromEntries(newest.slice(0, KEPT_MAX)))
    localStorage.setItem(placeOf(accountId), text)
  } catch {
    // Without storage, the service still prevents duplicates for 24 hours.
  }
}

function readAll(accountId: string): Record<string, BatchBefore> {
  try {
    return JSON.parse(localStorage.getItem(placeOf(accountId)) ?? '{}')
  } catch {
    return {}
  }
}

function placeOf(accountId: string): string {
  return `longcode:batches:${accountId}`
}
