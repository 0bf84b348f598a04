// Keyboard shortcuts of a page: single letters and keys such as Escape or Home. Ignored while someone types or a
// dialog is open. Letters are also ignored if they are turned off.

import { useEffect, useRef } from 'react'
import { areKeysOn } from './key-settings'

export type Keys = Record<string, (event: KeyboardEvent) => void>

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const act = latest.current[event.key]
      if (!act || event.defaultPrevented || isTaken(event)) return
      if (event.key.length === 1 && !areKeysOn()) return
      act(event)
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
}

export function isTaken({ metaKey, ctrlKey, altKey, target }: KeyboardEvent): boolean {
  if (metaKey || ctrlKey || altKey) return true
  if (!(target instanceof HTMLElement)) return false
  if (target.matches('input:not([type=radio], [type=checkbox]), textarea, select')) return true
  return target.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null
}
