// Runs one step over and over until it is stopped. A step that found work is followed at once by the
// next, an empty one by a rest that a hint can cut short, a failed one by a longer and longer rest.

import type { Hint } from './hints.js'

export interface Loop {
  name: string
  /** What may mean work for this loop. */
  hints?: readonly Hint[]
  /** Does one bounded piece of work and says how many items it handled. */
  step: (signal: AbortSignal) => Promise<number>
  onError: (error: unknown) => void
  idleMs: number
  errorDelayMs?: number
  errorDelayMsMax?: number
}

export interface RunningLoop {
  name: string
  /** Work may be waiting: do not finish the rest. */
  hint: () => void
  /** Resolves when the step under way has ended. */
  stop: () => Promise<void>
}

export function startLoop(loop: Loop): RunningLoop {
  const stopping = new AbortController()
  let wake: () => void = () => {}
  let hinted = false

  const rest = (ms: number): Promise<void> => {
    if (hinted || stopping.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const done = run(loop, stopping.signal, async (ms, afterFailure) => {
    if (ms > 0) await rest(ms)
    if (!afterFailure) hinted = false
  })

  return {
    name: loop.name,
    hint: () => {
      hinted = true
      wake()
    },
    stop: () => {
      stopping.abort()
      wake()
      return done
    },
  }
}

async function run(
  loop: Loop,
  signal: AbortSignal,
  rest: (ms: number, afterFailure: boolean) => Promise<void>,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let handled = 0
    try {
      handled = await loop.step(signal)
      failures = 0
    } catch (error) {
      failures += 1
      loop.onError(error)
    }
    await rest(restMs(loop, handled, failures), failures > 0)
  }
}

function restMs(loop: Loop, handled: number, failures: number): number {
  const { errorDelayMs = 200, errorDelayMsMax = 10_000 } = loop
  if (failures > 0) return Math.min(errorDelayMs * 2 ** (failures - 1), errorDelayMsMax)
  return handled > 0 ? 0 : loop.idleMs
}
