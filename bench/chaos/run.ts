// `npm run chaos -- [faults|overload|soak]`: the service under faults and load, in one bounded run. It ends with a
// table and an exit status that shows whether anything was lost.

import { randomInt } from 'node:crypto'
import { readOptions } from './options.js'
import type { Running } from './running.js'

const SEED_MAX = 1_000_000

const running: Running = { closers: [], folder: null }
let isEnding = false

/** Stops everything that was started, however the run ends. The folder stays if there are logs to read. */
async function end(status: number, keepsFolder: boolean): Promise<void> {
  if (isEnding) return
  isEnding = true
  const { closers, folder } = running
  for (const close of closers.reverse()) await close(keepsFolder).catch(() => {})
  if (folder !== null && keepsFolder) console.log(`The logs are in ${folder}`)
  process.exit(status)
}

/** A run always prints why it ended. */
function stopOn(signal: 'SIGINT' | 'SIGTERM', status: number): void {
  process.on(signal, () => {
    console.error(`The run was stopped by ${signal}. Nothing was checked.`)
    void end(status, false)
  })
}

async function fail(error: unknown): Promise<void> {
  console.error(error instanceof Error ? error.stack : error)
  await end(2, true)
}

stopOn('SIGINT', 130)
stopOn('SIGTERM', 143)
process.on('uncaughtException', (error) => void fail(error)) // including unhandled rejections

try {
  const options = readOptions(process.argv.slice(2), randomInt(SEED_MAX))
  const isWell = await runKind(options)
  await end(isWell ? 0 : 1, !isWell)
} catch (error) {
  await fail(error)
}

async function runKind(options: ReturnType<typeof readOptions>): Promise<boolean> {
  if (options.kind === 'overload') return (await import('./load/overload.js')).runOverload(running)
  if (options.kind === 'soak') return (await import('./load/soak.js')).runSoak(options, running)
  if (options.planted !== null) {
    return (await import('./planted/run-planted.js')).runPlanted(options, running)
  }
  return (await import('./faults.js')).runFaults(options, running)
}
