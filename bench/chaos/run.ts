// `npm run chaos -- [faults|overload|soak]`: the service under faults and load, as one bounded run that ends with a table,
// and with a status that says whether anything was lost.

import { randomInt } from 'node:crypto'
import { readOptions } from './options.js'
import type { Running } from './running.js'

const SEED_MAX = 1_000_000

const running: Running = { closers: [], folder: null }
let isEnding = false

/** Everything that was started goes, whatever the end; the folder stays where there is something to look into. */
async function end(status: number, keepsFolder: boolean): Promise<void> {
  if (isEnding) return
  isEnding = true
  const { closers, folder } = running
  for (const close of closers.reverse()) await close(keepsFolder).catch(() => {})
  if (folder !== null && keepsFolder) console.log(`The logs are in ${folder}`)
  process.exit(status)
}

process.on('SIGINT', () => void end(130, false)) // ends the process itself
process.on('SIGTERM', () => void end(143, false))

try {
  const options = readOptions(process.argv.slice(2), randomInt(SEED_MAX))
  const isWell = await runKind(options)
  await end(isWell ? 0 : 1, !isWell)
} catch (error) {
  console.error((error as Error).stack ?? (error as Error).message)
  await end(2, true)
}

async function runKind(options: ReturnType<typeof readOptions>): Promise<boolean> {
  if (options.kind === 'overload') return (await import('./load/overload.js')).runOverload(running)
  if (options.kind === 'soak') return (await import('./load/soak.js')).runSoak(options, running)
  return (await import('./faults.js')).runFaults(options, running)
}
