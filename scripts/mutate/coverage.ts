// Records which test file runs which lines of which source file, by running each once. That takes as long as the
// whole suite, so the result is stored per test file until sources or helpers change.

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { filesBelow } from '../test-database.mjs'
import { coveredLines, type ScriptCoverage, type SourceMapCache } from './covered-lines.js'
import { type Mirror, ROOT } from './mirror.js'
import type { Worker } from './run-test.js'

export interface TestCoverage {
  test: string
  tookMs: number
  /** What fails as it is can find no mistake. */
  isGreen: boolean
  /** Lines that were run, by source file. */
  lines: Record<string, number[]>
}

interface Report {
  result: ScriptCoverage[]
  'source-map-cache'?: Record<string, SourceMapCache>
}

const CACHE = path.join(os.tmpdir(), `longcode-mutate-${process.getuid?.() ?? 'cache'}`)
const LIMIT_MS = 15 * 60_000

/** From the cache where nothing changed, else by running the test. */
export async function coverageOf(test: string, worker: Worker): Promise<TestCoverage> {
  const kept = path.join(CACHE, `${keyOf(test)}.json`)
  const known = tryRead(kept)
  if (known !== null) return JSON.parse(known)
  const coverage = await measure(test, worker)
  mkdirSync(CACHE, { recursive: true })
  // A red test may be green next time.
  if (coverage.isGreen) writeFileSync(kept, JSON.stringify(coverage))
  return coverage
}

async function measure(test: string, { run, mirror }: Worker): Promise<TestCoverage> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-coverage-'))
  try {
    const startedMs = performance.now()
    const outcome = await run({ file: test, limitMs: LIMIT_MS, env: { NODE_V8_COVERAGE: folder } })
    const tookMs = Math.round(performance.now() - startedMs)
    return { test, tookMs, isGreen: outcome === 'passed', lines: readReports(folder, mirror) }
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

let sharedHash: string | null = null

// Its own text, everything that it may use (sources, migrations, helpers), and how this is found out.
function keyOf(test: string): string {
  const isShared = (file: string) => !file.endsWith('.test.ts')
  sharedHash ??= hashOf(
    ['src', 'migrations', 'test', 'scripts/mutate'].flatMap(filesBelow).filter(isShared),
  )
  return hashOf([test], sharedHash)
}

function hashOf(files: readonly string[], salt = ''): string {
  const sum = createHash('sha256').update(salt)
  for (const file of files) sum.update(file).update(readFileSync(path.join(ROOT, file)))
  return sum.digest('hex').slice(0, 32)
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
