// Whether any test that runs the line of a mutant notices it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestCoverage } from './coverage.js'
import { apply, type Mutant } from './mutant.js'
import { ROOT, type RunTest } from './run-test.js'

export type Verdict = 'killed' | 'timed out' | 'survived' | 'no coverage'

// A mutant that makes a test wait forever is noticed; one that runs beside others is only slow.
const LIMIT_FACTOR = 4
const LIMIT_MS_MIN = 60_000
// A test that runs most of a file asks about it; one that runs a little only passes through. Time counts less.
const KNOWLEDGE_POWER = 3

export async function tryMutant(
  mutant: Mutant,
  coverage: readonly TestCoverage[],
  testsMax: number,
  run: RunTest,
): Promise<Verdict> {
  const tests = testsFor(mutant, coverage).slice(0, testsMax)
  if (tests.length === 0) return 'no coverage'
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-mutant-'))
  try {
    const env = writeMutant(mutant, folder)
    for (const { test, tookMs } of tests) {
      const limitMs = Math.max(LIMIT_MS_MIN, tookMs * LIMIT_FACTOR)
      const outcome = await run({ file: test, limitMs, env })
      if (outcome === 'timed out') return 'timed out'
      if (outcome === 'failed') return 'killed'
    }
    return 'survived'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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

function writeMutant(mutant: Mutant, folder: string): Record<string, string> {
  const file = path.join(ROOT, mutant.file)
  const text = path.join(folder, path.basename(mutant.file))
  writeFileSync(text, apply(readFileSync(file, 'utf8'), mutant))
  return { MUTANT_URL: pathToFileURL(file).href, MUTANT_TEXT: text }
}
