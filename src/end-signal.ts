// When a process is asked to end: once for an orderly end, a second time for the end at once. And when it is
// asked to read its settings again.

import type { EventEmitter } from 'node:events'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * One Ctrl-C can arrive twice: `npm start` passes on what the terminal has sent to both. What follows
 * within this time is the same request.
 */
const ECHO_MS = 500

/** Resolves at the first signal. From the echo of that on, the next one is answered by `endNow`. */
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

/** The work logs its outcome, and never rejects. */
export function onReloadSignal(source: EventEmitter, reload: () => Promise<unknown>): void {
  source.on('SIGHUP', () => void reload())
}
