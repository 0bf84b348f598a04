// The rows of a live list: the newest page is refetched on every event, and older pages are read once. While someone
// reads, nothing is refetched, and new rows from the live stream wait. Pure, so it can be tested without a browser.

import type { Message } from '../../../generated/types.gen'

export interface LoadedMessages {
  messages: readonly Message[]
  hasMore: boolean
  next: string | null
}

export interface Rows {
  /** Newest first, including those that wait. */
  list: readonly Message[]
  /** Where older pages continue. Null at the end. */
  next: string | null
  /** The newest row that is shown. Newer ones wait. Null: new rows are shown at once. */
  top: string | null
  /** More arrived at once than a page holds, so rows are missing between the waiting and the shown ones. */
  hasGap: boolean
}

/** The most rows kept while new ones arrive. */
const KEPT_MAX = 400
/** The most rows that wait. More are not counted. */
const WAITING_MAX = 100

export function firstRows(page: LoadedMessages): Rows {
  return { list: page.messages, next: endOf(page), top: null, hasGap: false }
}

/** Merges the refetched newest page. */
export function withHead(rows: Rows, page: LoadedMessages, isHeld: boolean): Rows {
  if (isHeld) return withHeldHead(rows, page)
  const { list } = rows
  const end = endOf(page)
  // The page is authoritative for its range. Rows before it stay, unless there may be a gap between.
  const isJoined = end === null || (list[0] !== undefined && list[0].id >= end)
  if (!isJoined || rows.hasGap) return firstRows(page)
  const older = end === null ? [] : list.filter(({ id }) => id < end)
  const all = [...page.messages, ...older]
  const kept = all.slice(0, KEPT_MAX)
  const next = older.length === 0 ? end : kept.length < all.length ? kept.at(-1)!.id : rows.next
  return { list: kept, next, top: null, hasGap: false }
}

function withHeldHead(rows: Rows, page: LoadedMessages): Rows {
  const fresh = new Map(page.messages.map((message) => [message.id, message]))
  const top = rows.top ?? rows.list[0]?.id ?? ''
  const patched = rows.list.map((message) => fresh.get(message.id) ?? message)
  const existing = new Set(rows.list.map(({ id }) => id))
  const added = page.messages.filter(({ id }) => id > top && !existing.has(id))
  const end = endOf(page)
  const newest = rows.list[0]?.id
  const hasGap = rows.hasGap || (end !== null && newest !== undefined && newest < end)
  const list = [...added, ...patched].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...rows, list, top, hasGap }
}

/** Appends an older page. */
export function withOlder(rows: Rows, page: LoadedMessages): Rows {
  const existing = new Set(rows.list.map(({ id }) => id))
  const added = page.messages.filter(({ id }) => !existing.has(id))
  return { ...rows, list: [...rows.list, ...added], next: endOf(page) }
}

/** Applies an event to a row that is loaded. */
export function withChange(rows: Rows, changed: Message): Rows {
  if (!rows.list.some(({ id }) => id === changed.id)) return rows
  return { ...rows, list: rows.list.map((one) => (one.id === changed.id ? changed : one)) }
}

/** A new message from the live stream, while new rows wait. The list is read again when they are shown. */
export function withArrival(rows: Rows, message: Message): Rows {
  const { list, top } = rows
  const isNew = message.id > (top ?? list[0]?.id ?? '')
  if (top === null || !isNew || list.some(({ id }) => id === message.id)) return rows
  if (waitingOf(rows).count >= WAITING_MAX) return { ...rows, hasGap: true }
  const sorted = [message, ...list].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...rows, list: sorted }
}

/** From now on, new rows wait. */
export function paused(rows: Rows): Rows {
  return rows.top === null ? { ...rows, top: rows.list[0]?.id ?? '' } : rows
}

/** Shows the waiting rows. */
export function released(rows: Rows, head: LoadedMessages | undefined): Rows {
  if (rows.hasGap && head) return firstRows(head)
  return { ...rows, top: null }
}

export function shownOf({ list, top }: Rows): readonly Message[] {
  return top === null ? list : list.filter(({ id }) => id <= top)
}

/** How many rows wait, and how many of them failed. */
export function waitingOf({ list, top }: Rows): { count: number; failed: number } {
  const waiting = top === null ? [] : list.filter(({ id }) => id > top)
  const failed = waiting.filter(({ status }) => status === 'FAILED' || status === 'EXPIRED')
  return { count: waiting.length, failed: failed.length }
}

function endOf({ hasMore, next }: LoadedMessages): string | null {
  return hasMore ? next : null
}
