// Introduces small bugs, one at a time, and reports those that no test catches: `npm run mutate -- src/ledger`. With
// `--planted`, the bugs are those of test/planted. See CONTRIBUTING.md.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { filesBelow, testFiles } from '../test-database.mjs'
import { coverageOf, type TestCoverage } from './coverage.js'
import { ROOT } from './mirror.js'
import { describe, type Mutant, sample } from './mutant.js'
import { findMutants } from './operators.js'
import { parse } from './parse.js'
import { describeResult, isNoticed, listPlanted, Planter, reportPlanted } from './planted.js'
import { type Result, report } from './report.js'
import type { Worker } from './run-test.js'
import { tryMutant } from './try-mutant.js'
import { keepCompiling } from './type-check.js'
import { share, withWorkers } from './workers.js'

const USAGE = `npm run mutate -- [FOLDER or FILE …]
npm run mutate -- --planted [CLASS …]   the mistakes of test/planted; --only FILE: those of one file
  --list             only show the mutants
  --only FILE:LINE   those of one line (may be given several times)
  --sample N         N of them, by chance; --seed S chooses the same again
  --seconds N        begin no further mutant after that time
  --tests PLACE      look only at this test file or folder (may be given several times)
  --tests-max N      maximum number of test files per mutant, likeliest first (default 20)
  --jobs N           number of parallel jobs (default 2)`

process.chdir(ROOT)
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '86400' },
    tests: { type: 'string', multiple: true },
    'tests-max': { type: 'string', default: '20' },
    jobs: { type: 'string', default: '2' },
  },
})

if (flags.help) console.log(USAGE)
else if (flags.planted) await tryPlanted()
else await main()

async function tryPlanted(): Promise<void> {
  const all = listPlanted(positionals)
  const chosen = all.filter(({ file }) => flags.only?.map(path.normalize).includes(file) ?? true)
  const planter = new Planter()
  const results = await withWorkers(Number(flags.jobs), (workers) =>
    share(workers, chosen, async (planted, worker) => {
      const result = await planter.tryPlanted(planted, worker)
      console.error(describeResult(result))
      return result
    }),
  )
  console.log(reportPlanted(results))
  process.exitCode = results.every(isNoticed) ? 0 : 1
}

async function main(): Promise<void> {
  const only = flags.only?.map((place) => path.normalize(place))
  const onlyFiles = only && [...new Set(only.map((place) => place.split(':')[0]!))]
  const places = onlyFiles ?? (positionals.length > 0 ? positionals : ['src'])
  const texts = new Map(places.flatMap(sourcesIn).map((file) => [file, readFileSync(file, 'utf8')]))
  const all = [...parse(texts)].flatMap(([file, tree]) => findMutants(file, tree))
  const asked = all.filter(
    ({ file, line }) =>
      only?.some((place) => place === file || place === `${file}:${line}`) ?? true,
  )
  const drawn = flags.sample ? sample(asked, Number(flags.sample), Number(flags.seed)) : asked
  const mutants = keepCompiling(drawn, texts)
  console.error(
    `${asked.length} mutants, ${drawn.length} drawn, ${drawn.length - mutants.length} of these refused by the compiler`,
  )
  if (flags.list) {
    for (const one of mutants) {
      console.log(`${one.file}:${one.line}: ${describe(texts.get(one.file)!, one)}`)
    }
    return
  }
  console.log(report(await tryAll(mutants), texts))
}

function sourcesIn(place: string): string[] {
  const files = statSync(place).isDirectory() ? filesBelow(place) : [path.normalize(place)]
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
}

async function tryAll(mutants: readonly Mutant[]): Promise<Result[]> {
  return withWorkers(Number(flags.jobs), async (workers) => {
    const files = [...new Set(mutants.map(({ file }) => file))]
    const coverage = await findCoverage(files, workers)
    const testsMax = Number(flags['tests-max'])
    const untilMs = performance.now() + Number(flags.seconds) * 1000
    return share(workers, mutants, async (mutant, worker) => {
      if (performance.now() > untilMs) return null
      const { state, test } = await tryMutant(mutant, coverage, testsMax, worker)
      console.error(`${mutant.file}:${mutant.line} ${state}${test ? ` by ${test}` : ''}`)
      return { mutant, state }
    })
  })
}

async function findCoverage(
  mutated: readonly string[],
  workers: readonly Worker[],
): Promise<TestCoverage[]> {
  const isWanted = (file: string) =>
    flags.tests?.some((place) => `${file}/`.startsWith(`${path.normalize(place)}/`)) ??
    isUseful(file)
  const tests = testFiles().filter(isWanted)
  console.error(`Looking up what ${tests.length} test files run …`)
  return share(workers, tests, async (test, worker) => {
    const coverage = await coverageOf(test, mutated, worker)
    if (!coverage.isGreen) console.error(`${test} fails as it is, and is left out.`)
    return coverage
  })
}

// These run the compiled program, which has no mutant in it, or look only at texts.
function isUseful(file: string): boolean {
  return !file.startsWith('scripts') && file !== path.join('test', 'architecture.test.ts')
}
