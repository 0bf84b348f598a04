// The service's time. The sandbox clock can be moved, so relative times are computed from it and never from the
// browser's clock.

import { useSyncExternalStore } from 'react'

let offsetMs = 0
const listeners = new Set<() => void>()
let ticker: ReturnType<typeof setInterval> | null = null
let tick = 0

export function setServiceNow(iso: string): void {
  const next = Date.parse(iso) - Date.now()
  if (Math.abs(next - offsetMs) < 400) return // within network delay
  offsetMs = next
  notify()
}

export function serviceNow(): Date {
  return new Date(Date.now() + offsetMs)
}

function notify(): void {
  tick += 1
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  ticker ??= setInterval(notify, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || ticker === null) return
    clearInterval(ticker)
    ticker = null
  }
}

/** Rerenders every second and when the clock jumps, with one timer for the whole page. */
export function useServiceNow(): Date {
  useSyncExternalStore(subscribe, () => tick)
  return serviceNow()
}
