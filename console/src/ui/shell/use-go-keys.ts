// g and a letter jump to a page.

import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { areKeysOn } from '../../lib/key-settings'
import { isTaken } from '../../lib/use-keys'
import type { NavItem } from './nav'

const SECOND_KEY_MS = 1_500

export function useGoKeys(places: readonly NavItem[]): void {
  const navigate = useNavigate()
  const latest = useRef(places) // the page may rerender between the two keys
  latest.current = places
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY
    const hear = (event: KeyboardEvent): void => {
      if (isTaken(event) || !areKeysOn()) return
      if (event.key === 'g') {
        gAt = event.timeStamp
        return
      }
      const place = latest.current.find(({ key }) => key === event.key)
      if (place && event.timeStamp - gAt < SECOND_KEY_MS) {
        event.preventDefault() // the letter is not a shortcut of the page
        event.stopImmediatePropagation()
        void navigate({ to: place.path })
      }
      gAt = Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', hear, { capture: true })
    return () => document.removeEventListener('keydown', hear, { capture: true })
  }, [navigate])
}
