// ⌘K or Ctrl K, which also works while someone types.

import { useEffect, useRef } from 'react'

export function useMenuKey(open: () => void): void {
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}
