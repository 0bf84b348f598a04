// Whether any test that runs a mutant's line catches it.

import { readFileSync } from 'node:fs'
import type { TestCoverage } from './coverage.js'
import type { Mutant } from './mutant.js'
import type { Worker } from './run-test.js'

/** `only a snapshot`: of the text of a statement, which UPDATE_SNAPSHOTS=1 would erase. */
export type MutantState = 'killed' | 'timed out' | 'only a snapshot' | 'survived' | 'no coverage'

// A mutant that makes a test hang is detected; one that runs next to others is only slow.
const LIMIT_FACTOR = 4
const LIMIT_MS_MIN = 60_000
// A test that runs most of a file asks about it; one that runs a little only passes through. Time counts less.
const KNOWLEDGE_POWER = 3

export async function tryMutant(
  mutant: Mutant,
  coverage: readonly TestCoverage[],
  testsMax: number,
  { run, mirror }: Worker,
): Promise<MutantState> {
  const tests = testsFor(mutant, coverage).slice(0, testsMax)
  if (tests.length === 0) return 'no coverage'
  mirror.plant(mutant)
  try {
    for (const { test, tookMs } of tests) {
      const limitMs = Math.max(LIMIT_MS_MIN, tookMs * LIMIT_FACTOR)
      const outcome = await run({ file: test, limitMs, env: { TEST_SNAPSHOTS: 'off' } })
      if (outcome === 'timed out') return 'timed out'
      if (outcome === 'failed') return 'killed'
    }
    for (const { test } of tests.filter(hasSnapshot)) {
      const outcome = await run({ file: test, limitMs: LIMIT_MS_MIN })
      if (outcome !== 'passed') return 'only a snapshot'
    }
    return 'survived'
  } finally {
    mirror.restore(mutant)
  }
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
