// Whether someone finished the first-run steps in this browser. Start then leaves the navigation. ⌘K still
// finds it.

const place = (accountId: string) => `longcode:started:${accountId}`

export function isStartDone(accountId: string): boolean {
  try {
    return localStorage.getItem(place(accountId)) !== null
  } catch {
    return false
  }
}

export function setStartDone(accountId: string): void {
  try {
    localStorage.setItem(place(accountId), '1')
  } catch {
    // Without storage, Start stays in the navigation, which does no harm.
  }
}
