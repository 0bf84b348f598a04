// Where drafts are saved in this browser, by owner: the account, or the operator. Signing out removes them, because the
// next person at this browser may be someone else.

const PREFIX = 'longcode:draft:'

/** After a sign-out, a form that is still on the screen must not save its draft again. */
let isOver = false

/** Operators' drafts have their own owner, so signing out of one side keeps the other side's drafts. */
export function draftPlace(owner: { accountId?: string; operator?: string }, name: string): string {
  const { accountId, operator } = owner
  return `${PREFIX}${accountId ?? `operator ${operator ?? ''}`}:${name}`
}

// Storage can be unavailable (private window, full). Forms work without it.
export function readDraft(place: string): object {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '{}')
  } catch {
    return {}
  }
}

/** Null removes it. */
export function saveDraft(place: string, text: string | null): void {
  if (isOver) return
  try {
    if (text === null) localStorage.removeItem(place)
    else localStorage.setItem(place, text)
  } catch {
    // Without storage there is nothing to save.
  }
}

/** Removes the drafts of one side, or of both. */
export function clearDrafts(audience?: 'account' | 'operator'): void {
  isOver = true
  try {
    for (const place of Object.keys(localStorage)) {
      if (!place.startsWith(PREFIX)) continue
      const isOperators = place.startsWith(`${PREFIX}operator `)
      if (!audience || isOperators === (audience === 'operator')) localStorage.removeItem(place)
    }
  } catch {
    // Without storage there is nothing to remove.
  }
}
