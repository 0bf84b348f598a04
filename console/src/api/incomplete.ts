// Whether an operator list is complete. While a database worker is down, lists lack its accounts, and the service
// marks each response.

import { useSyncExternalStore } from 'react'

const HEADER = 'longcode-incomplete'

let current: string | null = null
const listeners = new Set<() => void>()

/** Records what the latest response lacks, or that it is complete. */
export function noteIncomplete(headers: Headers): void {
  const next = headers.get(HEADER)
  if (next === current) return
  current = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The service's message. Null: the list is complete. */
export function useIncomplete(): string | null {
  return useSyncExternalStore(subscribe, () => current)
}
