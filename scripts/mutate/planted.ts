// Mistakes that people chose, by class, in test/planted: each is planted as a mutant, and its tests must notice it. No
// coverage is computed, because each mistake names its tests.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { type Mutant, toMutants } from './mutant.js'
import type { Worker } from './run-test.js'

export interface Mistake {
  /** What is wrong with it, in one sentence. */
  what: string
  file: string
  /** Text that is in the file exactly once. */
  find: string
  replace: string
  /** Test files, the likeliest to notice it first. */
  tests: string[]
}

export interface Planted extends Mistake {
  className: string
}

export interface PlantedResult {
  planted: Planted
  /** `fails anyway`: a test fails without the mistake too, so it shows nothing. */
  state: 'noticed' | 'timed out' | 'missed' | 'fails anyway'
  /** The test that ended it, and how long that test ran until then. */
  test: string | null
  seconds: number
}

const FOLDER = 'test/planted'
const EXTENSION = '.yaml'
const LIMIT_MS = 300_000

export function listClasses(): string[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(EXTENSION))
  return names.map((name) => path.basename(name, EXTENSION)).sort()
}

/** Of these classes, or of all. Files are read from the working directory: tests are compiled elsewhere. */
export function listPlanted(classes: readonly string[]): Planted[] {
  const known = listClasses()
  const unknown = classes.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`No class is named ${unknown.join(', ')}. Classes: ${known.join(', ')}`)
  }
  return (classes.length > 0 ? classes : known).flatMap((className) => {
    const text = readFileSync(path.join(FOLDER, className + EXTENSION), 'utf8')
    return (parse(text) as Mistake[]).map((one) => ({ ...one, className }))
  })
}

/** Throws if its place is gone or is not the only one. */
export function mutantOf({ file, find, replace }: Mistake): Mutant {
  const text = readFileSync(file, 'utf8')
  const places = text.split(find).length - 1
  if (places !== 1)
    throw new Error(`${file} has this text ${places} times instead of once: ${find}`)
  const start = text.indexOf(find)
  return toMutants(file, text, [{ start, end: start + find.length, replacement: replace }])[0]!
}

/** Plants mistakes one after the other, and remembers which tests are green without any. */
export class Planter {
  readonly #green = new Map<string, Promise<boolean>>()

  async tryPlanted(planted: Planted, worker: Worker): Promise<PlantedResult> {
    const { test, state, seconds } = await runTests(planted, worker)
    const isGreen = test === null || (await this.#isGreen(test, worker))
    return { planted, test, seconds, state: isGreen ? state : 'fails anyway' }
  }

  #isGreen(test: string, { run }: Worker): Promise<boolean> {
    const found =
      this.#green.get(test) ??
      run({ file: test, limitMs: LIMIT_MS, env: WITHOUT_SNAPSHOTS }).then(
        (outcome) => outcome === 'passed',
      )
    this.#green.set(test, found)
    return found
  }
}

const WITHOUT_SNAPSHOTS = { TEST_SNAPSHOTS: 'off' }

async function runTests(
  planted: Planted,
  { mirror, run }: Worker,
): Promise<Omit<PlantedResult, 'planted'>> {
  const mutant = mutantOf(planted)
  mirror.plant(mutant)
  try {
    let seconds = 0
    for (const test of planted.tests) {
      const startedMs = performance.now()
      const outcome = await run({ file: test, limitMs: LIMIT_MS, env: WITHOUT_SNAPSHOTS })
      seconds = (performance.now() - startedMs) / 1000
      if (outcome === 'failed') return { state: 'noticed', test, seconds }
      if (outcome === 'timed out') return { state: 'timed out', test, seconds }
    }
    return { state: 'missed', test: null, seconds }
  } finally {
    mirror.restore(mutant)
  }
}

export function isNoticed({ state }: PlantedResult): boolean {
  return state === 'noticed' || state === 'timed out'
}

/** One line per mistake, then one per class. */
export function reportPlanted(results: readonly PlantedResult[]): string {
  const classes = [...new Set(results.map(({ planted }) => planted.className))].sort()
  const byClass = classes.map((name) => results.filter((one) => one.planted.className === name))
  const rows = byClass.flatMap((own) => own.map(describeResult))
  const totals = byClass.map((own, i) => `${classes[i]}: ${summary(own)}`)
  return [...rows, '', ...totals, `in all: ${summary(results)}`].join('\n')
}

export function describeResult({ planted, state, test, seconds }: PlantedResult): string {
  const by = test === null ? 'NOT NOTICED' : `${state} by ${test}, ${seconds.toFixed(1)} s`
  return `${planted.className} | ${planted.file} | ${planted.what} | ${by}`
}

function summary(results: readonly PlantedResult[]): string {
  const times = results
    .filter(isNoticed)
    .map(({ seconds }) => seconds)
    .sort((a, b) => a - b)
  const count = `${times.length} of ${results.length} noticed`
  if (times.length === 0) return count
  const median = times[Math.floor((times.length - 1) / 2)]!
  return `${count}, median ${median.toFixed(1)} s, longest ${times.at(-1)!.toFixed(1)} s`
}
