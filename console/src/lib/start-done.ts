// Whether somebody has come to the end of the first-run path in this browser: Start then leaves the list of
// places. ⌘K still leads there.

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
    // Then it stays in the list, which harms nobody.
  }
}
