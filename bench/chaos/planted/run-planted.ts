// `npm run chaos -- --planted 07`: runs a copy of the service with a planted fault under chaos and expects the judge to
// find it. Shows that the judge would notice. `--planted none` expects no finding, under the same load and faults.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { seededRandom } from '../../../src/smsc/random.js'
import type { ChaosOptions } from '../options.js'
import { releaseFolder, watchFolder, watchProcess } from '../processes/watchdog.js'
import type { Running } from '../running.js'
import { type Outcome, runTrial } from '../trial.js'
import { chooseFaults, type PlantedFault } from './faults.js'
import { applyPatch } from './patch.js'

/** Of load and faults. After that, the run waits for all work and judges what is left. */
const MINUTES = 0.6
const ACCEPTED_MIN = 350
/** A machine may be too busy for a fault to show. */
const ATTEMPTS_MAX = 2
/** Fewer start sooner. */
const NODES = 3
const FAULTS_EVERY_MS_MAX = 3_000
const WATCH_EVERY_MS = 2_000
const STEP_MS_MAX = 3_000
/** Longer than a lease, and than a limit per minute. */
const STALL_MS_MAX = 66_000
const SHOWN_MAX = 3
/** What the program reads next to itself. */
const LINKED = ['node_modules', 'migrations', 'docs', 'scripts', 'tsconfig.json', 'package.json']

interface Result {
  name: string
  isFound: boolean
  /** Kinds of findings. */
  kinds: string[]
  seconds: number
}

export async function runPlanted(options: ChaosOptions, running: Running): Promise<boolean> {
  const { seed } = options
  const random = seededRandom(seed)
  const isControl = options.planted === 'none'
  const faults = isControl
    ? [null]
    : chooseFaults(options.planted!, (count) => Math.floor(random() * count))
  console.log(
    `planted: ${faults.map((one) => one?.name ?? 'none').join(', ')}; to repeat: --seed ${seed}`,
  )
  const results: Result[] = []
  for (const fault of faults) {
    let result = await tryOne(fault, options, running)
    for (let attempt = 1; fault && !result.isFound && attempt < ATTEMPTS_MAX; attempt += 1) {
      result = await tryOne(fault, { ...options, seed: seed + attempt }, running)
    }
    results.push(result)
  }
  console.log('')
  for (const { name, isFound, kinds, seconds } of results) {
    const outcome =
      isFound || isControl ? kinds.join(', ') || 'no findings' : `NOT FOUND ${kinds.join(', ')}`
    console.log(`${name.padEnd(40)} ${String(seconds).padStart(4)} s  ${outcome}`)
  }
  const isWell = results.every(({ isFound, kinds }) => (isControl ? kinds.length === 0 : isFound))
  console.log(isWell ? '\nplanted: as expected' : '\nplanted: NOT AS EXPECTED')
  return isWell
}

/** What goes wrong in the run of one fault is its result. */
async function tryOne(...run: Parameters<typeof runOne>): Promise<Result> {
  const [fault, , running] = run
  const startedAt = Date.now()
  try {
    return await runOne(...run)
  } catch (error) {
    console.error(error)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const [name, kinds] = [fault?.name ?? 'none', [`the run failed: ${String(error)}`]]
    return { name, isFound: false, kinds, seconds }
  } finally {
    // Everything of this run ends before the next one starts.
    for (const close of running.closers.splice(0).reverse()) await close(false)
    running.folder = null
  }
}

async function runOne(
  fault: PlantedFault | null,
  options: ChaosOptions,
  running: Running,
): Promise<Result> {
  const { seed, rate, database } = options
  const name = fault?.name ?? 'none'
  const startedAt = Date.now()
  const say = (line: string) =>
    console.log(
      `${name.slice(0, 2)} ${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`,
    )
  say(fault?.description ?? 'Nothing is planted.')
  const copy = openCopy()
  const closeCopy = async () => copy.close()
  running.closers.push(closeCopy)
  if (fault) applyPatch(fault, copy.folder)
  const program = compile(copy.folder)
  program.catch(() => {}) // the trial reports it
  const outcome = await runTrial(
    {
      ...{ seed, rate, database, program, say, minutes: MINUTES, nodes: NODES },
      acceptedMin: ACCEPTED_MIN,
      faults: {
        everyMsMax: FAULTS_EVERY_MS_MAX,
        longFreezePercent: 0,
        only: fault?.faults ?? null,
      },
      ...{ watchEveryMs: database === null ? WATCH_EVERY_MS : null },
      calm: { stepMsMax: STEP_MS_MAX, stallMsMax: STALL_MS_MAX },
      until: fault && new Set(fault.finds),
    },
    running,
  )
  const result = resultOf(name, fault, outcome)
  for (const line of findingsOf(outcome)) say(line)
  say(`${result.isFound ? 'found' : 'not found'} after ${result.seconds} s of chaos`)
  return result
}

function resultOf(name: string, fault: PlantedFault | null, outcome: Outcome): Result {
  const kinds = [...outcome.losses].filter(([, cases]) => cases.length > 0).map(([kind]) => kind)
  const isFound = kinds.some((kind) => fault?.finds.includes(kind))
  const seconds = Math.round((outcome.foundAfterMs ?? outcome.tookMs) / 1000)
  return { name, isFound, kinds, seconds }
}

function findingsOf({ losses }: Outcome): string[] {
  return [...losses].flatMap(([kind, cases]) =>
    cases.slice(0, SHOWN_MAX).map((one) => `  ${kind}: ${one.slice(0, 300)}`),
  )
}

/** A copy of the sources, and links to everything else that they need. */
function openCopy(): { folder: string; close: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-planted-'))
  watchFolder(folder)
  cpSync('src', path.join(folder, 'src'), { recursive: true })
  for (const name of LINKED) symlinkSync(path.resolve(name), path.join(folder, name))
  return {
    folder,
    close: () => {
      releaseFolder(folder)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** As `npm run build` does it. Resolves to the program. */
async function compile(folder: string): Promise<string> {
  const target = path.join(folder, 'dist')
  mkdirSync(target)
  for (const name of ['console', 'docs']) {
    symlinkSync(path.resolve('dist', name), path.join(target, name))
  }
  for (const step of ['compile-program.mjs', 'bundle-program.mjs']) {
    const script = path.resolve('scripts', step)
    const child = spawn(process.execPath, [script, target], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    watchProcess(child)
    const [status] = (await once(child, 'exit')) as [number | null]
    if (status !== 0) throw new Error('The patched service does not compile.')
  }
  return path.join(target, 'main.js')
}
