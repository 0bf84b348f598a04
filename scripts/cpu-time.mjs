// Wall time and CPU time of this process and all processes that it started and that have ended, for the last line of
// `npm test` and `npm run check`. CPU time shows growth: wall time depends on what else the machine does.

import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // of the kernel's figures

export function startMeter() {
  const started = performance.now()
  const wallSeconds = () => Math.round((performance.now() - started) / 1000)
  return {
    wallSeconds,
    read: () => {
      const cpu = cpuSeconds()
      return cpu === null ? `${wallSeconds()} s` : `${wallSeconds()} s, ${cpu} s of CPU time`
    },
  }
}

/** Null where the system does not report the processes that have ended (only Linux does). */
export function cpuSeconds() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // User and system time, of itself and of children that have ended.
    const ticks = fields.slice(11, 15).map(Number)
    return Math.round(ticks.reduce((one, other) => one + other, 0) / TICKS_PER_SECOND)
  } catch {
    return null
  }
}
