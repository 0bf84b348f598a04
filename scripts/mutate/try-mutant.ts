// Whether any test that runs a mutant's line catches it.

import { readFileSync } from 'node:fs'
import type { TestCoverage } from './coverage.js'
import type { Mutant } from './mutant.js'
import type { Outcome, Worker } from './run-test.js'

/** `only a snapshot`: of the text of a statement, which UPDATE_SNAPSHOTS=1 would erase. */
export type MutantState = 'killed' | 'timed out' | 'only a snapshot' | 'survived' | 'no coverage'

// A mutant that makes a test hang is detected; one that runs next to others is only slow.
const LIMIT_FACTOR = 4
const LIMIT_MS_MIN = 40_000
/** Of the test without the mutant. */
const LIMIT_MS_MAX = 15 * 60_000
// A test that runs most of a file asks about it; one that runs a little only passes through. Time counts less.
const KNOWLEDGE_POWER = 3

export interface Tried {
  state: MutantState
  /** What noticed it. */
  test: string | null
}

export async function tryMutant(
  mutant: Mutant,
  coverage: readonly TestCoverage[],
  testsMax: number,
  worker: Worker,
): Promise<Tried> {
  const tests = testsFor(mutant, coverage).slice(0, testsMax)
  if (tests.length === 0) return { state: 'no coverage', test: null }
  worker.mirror.plant(mutant)
  try {
    for (const one of tests) {
      const outcome = await ask(mutant, one, worker, { TEST_SNAPSHOTS: 'off' })
      if (outcome !== 'passed')
        return { state: outcome === 'failed' ? 'killed' : outcome, test: one.test }
    }
    for (const one of tests.filter((found) => found.isGreen && hasSnapshot(found))) {
      const outcome = await ask(mutant, one, worker)
      if (outcome !== 'passed') return { state: 'only a snapshot', test: one.test }
    }
    return { state: 'survived', test: null }
  } finally {
    worker.mirror.restore(mutant)
  }
}

/** A test that fails without the mutant too, or that was slow because the machine was busy, has not noticed. */
async function ask(
  mutant: Mutant,
  one: TestCoverage,
  worker: Worker,
  env: Record<string, string> = {},
): Promise<Outcome> {
  for (;;) {
    const limitMs = Math.max(LIMIT_MS_MIN, one.tookMs * LIMIT_FACTOR)
    const outcome = await worker.run({ file: one.test, limitMs, env })
    if (outcome === 'passed' || (outcome === 'failed' && one.isCurrent)) return outcome
    await runWithout(mutant, one, worker)
    if (!one.isGreen) return 'passed'
    if (outcome === 'failed' || one.tookMs * LIMIT_FACTOR <= limitMs) return outcome
  }
}

async function runWithout(mutant: Mutant, one: TestCoverage, worker: Worker): Promise<void> {
  worker.mirror.restore(mutant)
  const startedMs = performance.now()
  one.isGreen = (await worker.run({ file: one.test, limitMs: LIMIT_MS_MAX })) === 'passed'
  one.isCurrent = true
  one.tookMs = Math.round(performance.now() - startedMs)
  worker.mirror.plant(mutant)
}

function hasSnapshot({ test }: TestCoverage): boolean {
  return readFileSync(test, 'utf8').includes('assertStatements(')
}

/** Those that run its line, the likeliest to notice it first: its own test, then by what they know of it. */
export function testsFor(mutant: Mutant, coverage: readonly TestCoverage[]): TestCoverage[] {
  const own = mutant.file.replace(/\.ts$/, '.test.ts')
  const costOf = ({ test, tookMs, lines }: TestCoverage) =>
    test === own ? 0 : tookMs / (lines[mutant.file]?.length ?? 0) ** KNOWLEDGE_POWER
  return coverage
    .filter(({ isGreen, lines }) => isGreen && lines[mutant.file]?.includes(mutant.line))
    .sort((a, b) => costOf(a) - costOf(b))
}
