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
import { chooseFaults, type Group, type PlantedFault } from './faults.js'
import { applyPatch } from './patch.js'

/** Of load and faults. After that, the run waits for all work and judges what is left. */
const MINUTES = 0.6
const ACCEPTED_MIN = 350
const ACCEPTED_BETWEEN = 10
/** A machine may be too busy for a fault to show. */
const ATTEMPTS_MAX = 2
/** Fewer start sooner. */
const NODES = 2
const FAULTS_EVERY_MS_MAX = 3_000
const WATCH_EVERY_MS = 2_000
const STEP_MS_MAX = 3_000
/** Longer than a lease, and than a limit per minute. */
const STALL_MS_MAX = 66_000
const SHOWN_MAX = 3
const NOTHING = 'none'
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
  const groups = isControl
    ? [[]]
    : chooseFaults(options.planted!, (count) => Math.floor(random() * count))
  console.log(`planted: ${groups.map(nameOf).join(', ')}; to repeat: --seed ${seed}`)
  const results: Result[] = []
  for (const group of groups) {
    let found = await tryOne(group, options, running)
    for (let attempt = 1; !found.every(isExpected) && attempt < ATTEMPTS_MAX; attempt += 1) {
      if (isControl) break
      found = await tryOne(group, { ...options, seed: seed + attempt }, running)
    }
    results.push(...found)
  }
  console.log('')
  for (const result of results) {
    const { name, kinds, seconds } = result
    const text = `${isExpected(result) ? '' : 'NOT AS EXPECTED '}${kinds.join(', ') || 'no findings'}`
    console.log(`${name.padEnd(40)} ${String(seconds).padStart(4)} s  ${text}`)
  }
  const isWell = results.every(isExpected)
  console.log(isWell ? '\nplanted: as expected' : '\nplanted: NOT AS EXPECTED')
  return isWell
}

/** Without a fault, nothing may be found. */
function isExpected({ name, isFound, kinds }: Result): boolean {
  return name === NOTHING ? kinds.length === 0 : isFound
}

function nameOf(group: Group): string {
  return group.map(({ name }) => name).join(' + ') || NOTHING
}

/** What goes wrong in a run is its result. */
async function tryOne(...run: Parameters<typeof runOne>): Promise<Result[]> {
  const [group, , running] = run
  const startedAt = Date.now()
  try {
    return await runOne(...run)
  } catch (error) {
    console.error(error)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const kinds = [`the run failed: ${String(error)}`]
    const names = group.length === 0 ? [NOTHING] : group.map(({ name }) => name)
    return names.map((name) => ({ name, isFound: false, kinds, seconds }))
  } finally {
    // Everything of this run ends before the next one starts.
    for (const close of running.closers.splice(0).reverse()) await close(false)
    running.folder = null
  }
}

async function runOne(group: Group, options: ChaosOptions, running: Running): Promise<Result[]> {
  const { seed, rate, database } = options
  const startedAt = Date.now()
  const start = group.map(({ name }) => name.slice(0, 2)).join('+') || '--'
  const say = (line: string) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0)
    console.log(`${start} ${seconds.padStart(4)} s  ${line}`)
  }
  for (const { description } of group) say(description)
  const copy = openCopy()
  running.closers.push(async () => copy.close())
  for (const fault of group) applyPatch(fault, copy.folder)
  const program = compile(copy.folder)
  program.catch(() => {}) // the trial reports it
  const only = group.length === 1 ? group[0]!.faults : null
  const outcome = await runTrial(
    {
      ...{ seed, rate, database, program, say, minutes: MINUTES, nodes: NODES },
      acceptedMin: ACCEPTED_MIN,
      faults: {
        ...{ everyMsMax: FAULTS_EVERY_MS_MAX, longFreezePercent: 0, only },
        acceptedBetween: ACCEPTED_BETWEEN,
      },
      watchEveryMs: database === null ? WATCH_EVERY_MS : null,
      calm: { stepMsMax: STEP_MS_MAX, stallMsMax: STALL_MS_MAX },
      until: (kinds) =>
        group.length > 0 && group.every(({ finds }) => finds.some((kind) => kinds.has(kind))),
    },
    running,
  )
  for (const line of findingsOf(outcome)) say(line)
  const results =
    group.length === 0 ? [controlOf(outcome)] : group.map((one) => resultOf(one, outcome))
  for (const { name, isFound, seconds } of results) {
    say(`${name}: ${isFound ? 'found' : 'not found'} after ${seconds} s of chaos`)
  }
  return results
}

function controlOf({ foundAfterMs, tookMs }: Outcome): Result {
  const kinds = [...foundAfterMs.keys()]
  return { name: NOTHING, isFound: false, kinds, seconds: Math.round(tookMs / 1000) }
}

function resultOf({ name, finds }: PlantedFault, { foundAfterMs, tookMs }: Outcome): Result {
  const own = finds.filter((kind) => foundAfterMs.has(kind))
  const firstMs = Math.min(tookMs, ...own.map((kind) => foundAfterMs.get(kind)!))
  const kinds = own.length > 0 ? own : [...foundAfterMs.keys()]
  return { name, isFound: own.length > 0, kinds, seconds: Math.round(firstMs / 1000) }
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
      // If it fails, the watchdog removes the folder.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      releaseFolder(folder)
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
