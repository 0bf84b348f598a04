// Queries that live events must not refetch for now, because someone reads what they show: a list scrolled away from
// its newest rows, a thread scrolled up. They are refetched once when the reading ends.

import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** How often each is held, and whether an event was missed meanwhile. */
const held = new Map<string, { holders: number; isStale: boolean }>()

/** True if it is held. The event is remembered. */
export function postpone(queryKey: QueryKey): boolean {
  const entry = held.get(JSON.stringify(queryKey))
  if (!entry) return false
  entry.isStale = true
  return true
}

export function useHeldQuery(queryKey: QueryKey, isHeld: boolean): void {
  const client = useQueryClient()
  const name = JSON.stringify(queryKey)
  useEffect(() => {
    if (!isHeld) return
    const entry = held.get(name) ?? { holders: 0, isStale: false }
    entry.holders += 1
    held.set(name, entry)
    return () => {
      entry.holders -= 1
      if (entry.holders > 0) return
      held.delete(name)
      if (entry.isStale) void client.invalidateQueries({ queryKey: JSON.parse(name), exact: true })
    }
  }, [client, name, isHeld])
}
