// Whether what the operator reads is whole: while a worker of the database is away, lists lack its accounts, and the
// service says so with each of them.

import { useSyncExternalStore } from 'react'

const HEADER = 'longcode-incomplete'

let told: string | null = null
const listeners = new Set<() => void>()

/** Of a list that came: what it lacks, or that it lacks nothing. */
export function noteIncomplete(headers: Headers): void {
  const next = headers.get(HEADER)
  if (next === told) return
  told = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The service's words; null where all is there. */
export function useIncomplete(): string | null {
  return useSyncExternalStore(subscribe, () => told)
}
