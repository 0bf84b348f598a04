// The rows of a live list: the newest page is read again whenever something happens, older pages were read
// once, and while somebody reads, what is new waits. Pure, so that none of it depends on a screen.

import type { Message } from '../../../generated/types.gen'

export interface Page {
  messages: readonly Message[]
  hasMore: boolean
  next: string | null
}

export interface Rows {
  /** Newest first; those that wait are among them. */
  list: readonly Message[]
  /** Where older pages go on; null at the end. */
  next: string | null
  /** The newest that is shown: those after it wait. Null: whatever comes is shown. */
  top: string | null
  /** More came at once than a page holds: between what waits and what is shown some are missing. */
  hasGap: boolean
}

/** Kept at most while rows come by themselves. */
const KEPT_MAX = 400

export function firstRows(page: Page): Rows {
  return { list: page.messages, next: endOf(page), top: null, hasGap: false }
}

/** The newest page once more. */
export function withHead(rows: Rows, page: Page, isHeld: boolean): Rows {
  if (isHeld) return withHeldHead(rows, page)
  const { list } = rows
  const end = endOf(page)
  // What the page covers is as it says; what lies before it is as it was, unless something lies between.
  const isJoined = end === null || (list[0] !== undefined && list[0].id >= end)
  if (!isJoined || rows.hasGap) return firstRows(page)
  const older = end === null ? [] : list.filter(({ id }) => id < end)
  const all = [...page.messages, ...older]
  const kept = all.slice(0, KEPT_MAX)
  const next = older.length === 0 ? end : kept.length < all.length ? kept.at(-1)!.id : rows.next
  return { list: kept, next, top: null, hasGap: false }
}

function withHeldHead(rows: Rows, page: Page): Rows {
  const fresh = new Map(page.messages.map((message) => [message.id, message]))
  const top = rows.top ?? rows.list[0]?.id ?? ''
  const patched = rows.list.map((message) => fresh.get(message.id) ?? message)
  const known = new Set(rows.list.map(({ id }) => id))
  const added = page.messages.filter(({ id }) => id > top && !known.has(id))
  const end = endOf(page)
  const newest = rows.list[0]?.id
  const hasGap = rows.hasGap || (end !== null && newest !== undefined && newest < end)
  const list = [...added, ...patched].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...rows, list, top, hasGap }
}

/** An older page. */
export function withOlder(rows: Rows, page: Page): Rows {
  const known = new Set(rows.list.map(({ id }) => id))
  const added = page.messages.filter(({ id }) => !known.has(id))
  return { ...rows, list: [...rows.list, ...added], next: endOf(page) }
}

/** What an event says of one that is there. */
export function withChange(rows: Rows, changed: Message): Rows {
  if (!rows.list.some(({ id }) => id === changed.id)) return rows
  return { ...rows, list: rows.list.map((one) => (one.id === changed.id ? changed : one)) }
}

/** From now on nothing is put above what is shown. */
export function held(rows: Rows): Rows {
  return rows.top === null ? { ...rows, top: rows.list[0]?.id ?? '' } : rows
}

/** What waits is shown. */
export function released(rows: Rows, head: Page | undefined): Rows {
  if (rows.hasGap && head) return firstRows(head)
  return { ...rows, top: null }
}

export function shownOf({ list, top }: Rows): readonly Message[] {
  return top === null ? list : list.filter(({ id }) => id <= top)
}

/** How many wait, and how many of them failed. */
export function waitingOf({ list, top }: Rows): { count: number; failed: number } {
  const waiting = top === null ? [] : list.filter(({ id }) => id > top)
  const failed = waiting.filter(({ status }) => status === 'FAILED' || status === 'EXPIRED')
  return { count: waiting.length, failed: failed.length }
}

function endOf({ hasMore, next }: Page): string | null {
  return hasMore ? next : null
}
