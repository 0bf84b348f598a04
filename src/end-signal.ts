// Signals: the first SIGINT or SIGTERM stops the process in order, a second one stops it at once. SIGHUP reloads the
// settings.

import type { EventEmitter } from 'node:events'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * One Ctrl-C can arrive twice: the terminal sends it to npm and to this process, and `npm start` forwards it. A
 * second signal within this time counts as the same one.
 */
const ECHO_MS = 500

/** Resolves at the first signal. A later one, after the echo time, runs `endNow`. */
export function endSignal(source: EventEmitter, endNow: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false
    let isEchoOver = false
    const onSignal = () => {
      if (isEchoOver) endNow()
      if (isAsked) return
      isAsked = true
      setTimeout(() => {
        isEchoOver = true
      }, ECHO_MS).unref()
      resolve()
    }
    for (const signal of SIGNALS) source.on(signal, onSignal)
  })
}

/** `reload` logs its result and never rejects. */
export function onReloadSignal(source: EventEmitter, reload: () => Promise<unknown>): void {
  source.on('SIGHUP', () => void reload())
}
