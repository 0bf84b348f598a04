// Whether single letters act as keys. Whoever speaks to the machine, or types with care, can switch them
// off; kept in this browser.

import { useSyncExternalStore } from 'react'

const PLACE = 'longcode:keys'
const watchers = new Set<() => void>()
let isOn = read()

function read(): boolean {
  try {
    return localStorage.getItem(PLACE) !== 'off'
  } catch {
    return true
  }
}

export function areKeysOn(): boolean {
  return isOn
}

export function setKeysOn(on: boolean): void {
  isOn = on
  try {
    localStorage.setItem(PLACE, on ? 'on' : 'off')
  } catch {
    // Then it holds until the page is left.
  }
  for (const watcher of watchers) watcher()
}

export function useKeysOn(): boolean {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }, areKeysOn)
}
