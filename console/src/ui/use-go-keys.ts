// g and a letter lead to a place. Never while somebody types.

import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Place } from './nav'

const SECOND_KEY_MS = 1_500

export function useGoKeys(places: readonly Place[]): void {
  const navigate = useNavigate()
  useEffect(() => {
    let gAt = 0
    const hear = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'g') {
        gAt = event.timeStamp
        return
      }
      const place = places.find(({ key }) => key === event.key)
      if (place && gAt > 0 && event.timeStamp - gAt < SECOND_KEY_MS) {
        void navigate({ to: place.path })
      }
      gAt = 0
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [navigate, places])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
  )
}
