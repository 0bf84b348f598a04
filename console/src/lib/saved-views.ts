// Named views of the message list, saved in this browser for each person and account. Signing out removes them, because
// their filters can contain phone numbers and texts. A view is also a URL, so it can be kept and shared as a link.

import type { MessageSearch } from '../api/queries'

export interface SavedView {
  name: string
  filter: MessageSearch
}

const VIEWS_MAX = 50
const STARTER: readonly SavedView[] = [
  { name: 'Failed in 24 hours', filter: { status: 'FAILED', time: '24h' } },
  { name: 'Received in 7 days', filter: { direction: 'INBOUND', time: '7d' } },
  { name: 'Scheduled', filter: { status: 'SCHEDULED' } },
]

const PREFIX = 'longcode:views:'

/** Whose views these are. `userId` is null for a token. */
export interface ViewOwner {
  accountId: string
  userId: string | null
}

function placeOf({ accountId, userId }: ViewOwner): string {
  return userId === null ? PREFIX + accountId : `${PREFIX}${accountId}:${userId}`
}

/** Storage can be unavailable or contain something else. Then there are only those to start with. */
export function readViews(owner: ViewOwner): readonly SavedView[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(placeOf(owner)) ?? 'null')
    return Array.isArray(saved) ? saved.filter(isView) : STARTER
  } catch {
    return STARTER
  }
}

function isView(value: unknown): value is SavedView {
  const { name, filter } = (value ?? {}) as Partial<SavedView>
  return typeof name === 'string' && typeof filter === 'object' && filter !== null
}

/** A view with the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-VIEWS_MAX)
}

export function saveViews(owner: ViewOwner, views: readonly SavedView[]): void {
  try {
    localStorage.setItem(placeOf(owner), JSON.stringify(views))
  } catch {
    // Without storage, a view is still in the URL.
  }
}

/** Those of all accounts and people: the next person at this browser may be someone else. */
export function clearViews(): void {
  try {
    for (const place of Object.keys(localStorage)) {
      if (place.startsWith(PREFIX)) localStorage.removeItem(place)
    }
  } catch {
    // Without storage there is nothing to remove.
  }
}
