// Whether there is room for a table, or for what is open beside it: the lines that the styles draw.

import { useSyncExternalStore } from 'react'

const table = matchMedia('(min-width: 48rem)')
const panel = matchMedia('(min-width: 75rem)')

function useMatch(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (watcher) => {
      query.addEventListener('change', watcher)
      return () => query.removeEventListener('change', watcher)
    },
    () => query.matches,
  )
}

export function useWide(): boolean {
  return useMatch(table)
}

/** Below that, what is open is a page of its own. */
export function useRoomForPanel(): boolean {
  return useMatch(panel)
}
