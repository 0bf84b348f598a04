// Whether there is room for a table, or for a panel next to the list. The breakpoints match the styles.

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

/** Below this width, an open record is a separate page. */
export function useRoomForPanel(): boolean {
  return useMatch(panel)
}
