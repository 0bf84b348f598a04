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
import { share, withWorkers } from './workers.js'

const USAGE = `npm run mutate -- [FOLDER or FILE …]
npm run mutate -- --planted [CLASS …]   the mistakes of test/planted; --only FILE: those of one file
  --list             only show the mutants
  --only FILE:LINE   those of one line
  --sample N         N of them, by chance; --seed S chooses the same again
  --seconds N        begin no further mutant after that time
  --tests FILE       look only at this test file (may be given several times)
  --tests-max N      maximum number of test files per mutant, likeliest first (default 20)
  --jobs N           number of parallel jobs (default 2)`

process.chdir(ROOT)
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
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
  const chosen = all.filter(({ file }) => !flags.only || file === path.normalize(flags.only))
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
  const [onlyFile, onlyLine] = flags.only?.split(':') ?? []
  const places = onlyFile ? [onlyFile] : positionals.length > 0 ? positionals : ['src']
  const texts = new Map(places.flatMap(sourcesIn).map((file) => [file, readFileSync(file, 'utf8')]))
  const all = [...parse(texts)].flatMap(([file, tree]) => findMutants(file, tree))
  const asked = all.filter(({ line }) => !onlyLine || line === Number(onlyLine))
  const mutants = flags.sample ? sample(asked, Number(flags.sample), Number(flags.seed)) : asked
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
    const coverage = await findCoverage(workers)
    const untilMs = performance.now() + Number(flags.seconds) * 1000
    return share(workers, mutants, async (mutant, worker) => {
      if (performance.now() > untilMs) return null
      const state = await tryMutant(mutant, coverage, Number(flags['tests-max']), worker)
      console.error(`${mutant.file}:${mutant.line} ${state}`)
      return { mutant, state }
    })
  })
}

async function findCoverage(workers: readonly Worker[]): Promise<TestCoverage[]> {
  const tests = flags.tests?.map((file) => path.normalize(file)) ?? testFiles().filter(isUseful)
  console.error(`Looking up what ${tests.length} test files run …`)
  return share(workers, tests, async (test, worker) => {
    const coverage = await coverageOf(test, worker)
    if (!coverage.isGreen) console.error(`${test} fails as it is, and is left out.`)
    return coverage
  })
}

// These run the compiled program, which has no mutant in it, or look only at texts.
function isUseful(file: string): boolean {
  return !file.startsWith('scripts') && file !== path.join('test', 'architecture.test.ts')
}
