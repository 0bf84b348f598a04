// Records which test file runs which lines of which source file, by running each once. That takes as long as the
// whole suite, so the result is stored per test file until it or a source that is about to be mutated changes.

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { filesBelow } from '../test-database.mjs'
import { coveredLines, type ScriptCoverage, type SourceMapCache } from './covered-lines.js'
import { type Mirror, ROOT } from './mirror.js'
import type { Worker } from './run-test.js'

export interface TestCoverage {
  test: string
  tookMs: number
  /** What fails as it is can find no mistake. */
  isGreen: boolean
  /** Nothing that it may use has changed since. Otherwise it may have become red. */
  isCurrent: boolean
  /** Lines that were run, by source file. */
  lines: Record<string, number[]>
}

/** As stored. */
interface Kept extends TestCoverage {
  /** A hash of each source, as it was. */
  sources: Record<string, string>
  helpers: string
}

interface Report {
  result: ScriptCoverage[]
  'source-map-cache'?: Record<string, SourceMapCache>
}

const CACHE = path.join(os.tmpdir(), `longcode-mutate-${process.getuid?.() ?? 'cache'}`)
const MACHINERY = ['scripts/mutate/coverage.ts', 'scripts/mutate/covered-lines.ts']
const LIMIT_MS = 15 * 60_000

/** Of a test, from the cache where neither it nor any of the mutated files changed, else by running it. */
export async function coverageOf(
  test: string,
  mutated: readonly string[],
  worker: Worker,
): Promise<TestCoverage> {
  const place = path.join(CACHE, `${hashOf([test, ...MACHINERY])}.json`)
  const text = tryRead(place)
  const kept: Kept | null = text === null ? null : JSON.parse(text)
  const now = currentHashes()
  if (kept && mutated.every((file) => kept.sources[file] === now.sources[file])) {
    return {
      ...kept,
      isCurrent: isDeepStrictEqual(now, { sources: kept.sources, helpers: kept.helpers }),
    }
  }
  const coverage = await measure(test, worker)
  mkdirSync(CACHE, { recursive: true })
  // A red test may be green next time.
  if (coverage.isGreen) writeFileSync(place, JSON.stringify({ ...coverage, ...now } satisfies Kept))
  return coverage
}

async function measure(test: string, { run, mirror }: Worker): Promise<TestCoverage> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-coverage-'))
  try {
    const startedMs = performance.now()
    const outcome = await run({ file: test, limitMs: LIMIT_MS, env: { NODE_V8_COVERAGE: folder } })
    const tookMs = Math.round(performance.now() - startedMs)
    const isGreen = outcome === 'passed'
    return { test, tookMs, isGreen, isCurrent: true, lines: readReports(folder, mirror) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReports(folder: string, mirror: Mirror): Record<string, number[]> {
  const lines = new Map<string, Set<number>>()
  for (const name of readdirSync(folder)) {
    const report = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Report
    for (const script of report.result) {
      const file = mirror.fileAt(script.url)
      const map = report['source-map-cache']?.[script.url]
      if (!file || !isSource(file) || !map) continue
      const known = lines.get(file) ?? new Set()
      lines.set(file, known)
      for (const line of coveredLines(script, map)) known.add(line)
    }
  }
  return Object.fromEntries([...lines].map(([file, set]) => [file, [...set]]))
}

function isSource(file: string): boolean {
  return /^src\/.*(?<!\.test)\.ts$/.test(file)
}

let hashes: Pick<Kept, 'sources' | 'helpers'> | null = null

function currentHashes(): Pick<Kept, 'sources' | 'helpers'> {
  const files = ['src', 'migrations', 'test'].flatMap(filesBelow)
  hashes ??= {
    sources: Object.fromEntries(files.filter(isSource).map((file) => [file, hashOf([file])])),
    helpers: hashOf(files.filter((file) => !isSource(file) && !file.endsWith('.test.ts'))),
  }
  return hashes
}

function hashOf(files: readonly string[]): string {
  const sum = createHash('sha256')
  for (const file of files) sum.update(file).update(readFileSync(path.join(ROOT, file)))
  return sum.digest('hex').slice(0, 16)
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
