// Named views of the message list, saved in this browser for each account. Signing out keeps them, because they
// contain filters, not messages. A view is also a URL, so it can be shared as a link.

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

const placeOf = (accountId: string) => `longcode:views:${accountId}`

/** Storage can be unavailable or contain something else. Then there are only those to start with. */
export function readViews(accountId: string): readonly SavedView[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(placeOf(accountId)) ?? 'null')
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

export function saveViews(accountId: string, views: readonly SavedView[]): void {
  try {
    localStorage.setItem(placeOf(accountId), JSON.stringify(views))
  } catch {
    // Without storage, a view is still in the URL.
  }
}
