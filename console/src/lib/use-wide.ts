// Whether there is room for a table: the same line that the styles draw.

import { useSyncExternalStore } from 'react'

const wide = matchMedia('(min-width: 48rem)')

function subscribe(watcher: () => void): () => void {
  wide.addEventListener('change', watcher)
  return () => wide.removeEventListener('change', watcher)
}

export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches)
}
