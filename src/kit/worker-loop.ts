// Runs one step repeatedly until it is stopped. After a step that found work, the next one starts
// immediately. After an empty one, it rests, and a hint can end the rest early. After a failed one, it rests
// longer each time.

import type { Hint, Hints, Turn } from './hints.js'

export interface Loop {
  name: string
  /** The hints that may mean work for this loop. */
  hints?: readonly Hint[]
  /** Does one bounded piece of work and returns how many items it handled. */
  step: (signal: AbortSignal) => Promise<number>
  /** After the last step: waits for what no step waits for. */
  end?: () => Promise<void>
  onError: (error: unknown) => void
  /** The rest after a step without work. */
  idleMs: number | (() => number)
  errorDelayMs?: number
  errorDelayMsMax?: number
}

export interface RunningLoop {
  name: string
  /** Work may be waiting: end the rest early. */
  hint: () => void
  /** Resolves when the current step and the loop have ended. */
  stop: () => Promise<void>
}

/** On a cluster, one process at a time rests as its loops say. Those of the others wait for hints, or for their turn. */
export function inTurn({ hints }: { hints: Pick<Hints, 'waitMs' | 'restMs'> }, turn: Turn) {
  return (loop: Loop): Loop => {
    const { idleMs } = loop
    return {
      ...loop,
      idleMs:
        typeof idleMs === 'number'
          ? () => hints.restMs(idleMs, turn)
          : () => Math.max(idleMs(), hints.waitMs(turn)),
    }
  }
}

/** Without `hints`, for loops that need none, or that somebody else hints. */
export function startLoop(loop: Loop, hints?: Pick<Hints, 'subscribe'>): RunningLoop {
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

  const hint = () => {
    hinted = true
    wake()
  }
  const unsubscribe = (loop.hints ?? []).map((name) => hints?.subscribe(name, hint))
  return {
    name: loop.name,
    hint,
    stop: () => {
      for (const end of unsubscribe) end?.()
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
  await loop.end?.()
}

function restMs(loop: Loop, handled: number, failures: number): number {
  const { errorDelayMs = 200, errorDelayMsMax = 10_000 } = loop
  if (failures > 0) return Math.min(errorDelayMs * 2 ** (failures - 1), errorDelayMsMax)
  if (handled > 0) return 0
  return restOf(loop)
}

function restOf({ idleMs }: Loop): number {
  return typeof idleMs === 'number' ? idleMs : idleMs()
}
