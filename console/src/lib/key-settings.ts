// Whether single-letter shortcuts are on. People who use speech input can turn them off. Stored in this
// browser.

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
    // Without storage, the setting applies until the page is closed.
  }
  for (const watcher of watchers) watcher()
}

export function useKeysOn(): boolean {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }, areKeysOn)
}
