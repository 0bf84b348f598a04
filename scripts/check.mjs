// All checks that do not run the program: types, lint and format, floating promises, regular expressions that
// outside input could make slow, words, unused code, the architecture rules, and stale generated files. A step
// whose inputs have not changed since it passed is skipped (check-cache.mjs).

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { listDocInputs } from './build-inputs.mjs'
import { changedSince, hasPassed, importersOf, keyOf, remember } from './check-cache.mjs'
import { startMeter } from './cpu-time.mjs'

process.chdir(path.resolve(import.meta.dirname, '..'))
// With more changed files than this, a step runs on all of them.
const NARROWED_MAX = 200
const OUTPUT_MAX = 64 * 1024 * 1024
const bin = (name) => path.join('node_modules', '.bin', name)
// By its path: the TypeScript 6 that a test needs brings a tsc of the same name.
const tsc = (project, ...args) => [
  'node_modules/typescript/bin/tsc',
  ...['-p', project, '--noEmit', '--incremental'],
  ...['--tsBuildInfoFile', `node_modules/.cache/tsc/${project}.tsbuildinfo`, ...args],
]

const CODE = ['src', 'test', 'bench', 'scripts', 'sdk']
const DOCUMENTS = ['openapi.json', 'openapi.operator.json', 'openapi.sandbox.json']
const CONSOLE = ['console', ...DOCUMENTS]

const GENERATED = 'console/generated'
// Runs alone: other steps read what it writes.
const GENERATE = {
  name: 'types of the API',
  command: process.execPath,
  args: ['--import', 'tsx', 'scripts/write-console-types.ts', GENERATED],
  inputs: [...DOCUMENTS, 'src/kit/contract', 'scripts/write-console-types.ts', 'scripts/sdk'],
}
const STEPS = [
  { name: 'types', command: process.execPath, args: tsc('.'), inputs: CODE },
  {
    name: 'types of the console',
    command: process.execPath,
    args: tsc('console'),
    inputs: CONSOLE,
  },
  {
    name: 'types of the client',
    command: process.execPath,
    args: tsc('sdk/typescript'),
    inputs: ['sdk/typescript'],
  },
  // Biome has this rule too, but its type inference misses methods that an interface inherits, such as `db.query`: it
  // found 21 of 28 planted promises. This uses TypeScript's own checker.
  {
    name: 'floating promises',
    command: bin('oxlint'),
    args: ['--type-aware', '--no-error-on-unmatched-pattern'],
    inputs: [...CODE, ...CONSOLE, '.oxlintrc.json'],
    settings: ['.oxlintrc.json'],
    // A function that becomes asynchronous concerns the files that use it.
    onlyFiles: (changed) => [...changed, ...importersOf(changed, [...CODE, 'console'])],
  },
  {
    name: 'lint and format',
    command: bin('biome'),
    args: ['check', '--error-on-warnings', '--no-errors-on-unmatched'],
    inputs: ['.'],
    settings: ['biome.json'],
    onlyFiles: (changed) => changed,
  },
  {
    name: 'regular expressions',
    command: process.execPath,
    args: ['--import', 'tsx', 'scripts/regexes/check.ts'],
    inputs: ['src', 'console', 'scripts/regexes'],
  },
  {
    name: 'links of the documentation',
    command: process.execPath,
    args: ['scripts/docs/build.mjs', '--out', 'node_modules/.cache/docs'],
    inputs: listDocInputs('.'),
    linksToFiles: true,
  },
  {
    name: 'words',
    command: process.execPath,
    args: ['scripts/words/check.mjs'],
    inputs: ['.'],
    settings: ['check.mjs', 'exceptions.txt', 'rules.mjs'].map((file) => `scripts/words/${file}`),
    onlyFiles: (changed) => changed,
  },
  {
    name: 'nothing unused',
    command: bin('knip'),
    args: ['--cache', '--cache-location', 'node_modules/.cache/knip'],
    inputs: [
      ...CODE,
      ...CONSOLE,
      'bin',
      'examples',
      '.ci',
      '.oxlintrc.json',
      'biome.json',
      'knip.jsonc',
    ],
  },
  {
    name: 'architecture',
    command: process.execPath,
    args: ['--import', 'tsx', '--test', 'test/architecture.test.ts'],
    inputs: ['.'],
  },
  { name: 'budgets', command: process.execPath, args: ['scripts/budgets.mjs'], prints: true },
  {
    name: 'generated files',
    command: process.execPath,
    args: ['--import', 'tsx', 'scripts/write-openapi.ts', '--check'],
    inputs: ['src', ...DOCUMENTS, 'sdk', 'scripts/sdk', 'scripts/write-openapi.ts'],
  },
]

const meter = startMeter()
if (existsSync(GENERATED)) await run(GENERATE)
else await runAnyway(GENERATE)
// Two at a time: most keep one processor busy, and no more.
const left = [...STEPS]
const runLeft = async () => {
  for (let step = left.shift(); step; step = left.shift()) await run(step)
}
await Promise.all([runLeft(), runLeft()])
console.log(`check: ok (${meter.read()})`)

function run(step) {
  const { name, command, args, inputs, linksToFiles } = step
  const key = inputs ? keyOf(inputs, [command, args], linksToFiles) : null
  if (!hasPassed(name, key)) return runAnyway(narrowed(step), key)
  console.log(`check ${name}: ok (unchanged)`)
}

/** To the files that changed, where a step reads each file alone and has passed before. */
function narrowed(step) {
  const changed = step.onlyFiles && changedSince(step.name, step.inputs, step.settings)
  if (!changed || changed.length === 0 || changed.length > NARROWED_MAX) return step
  return { ...step, args: [...step.args, ...new Set(step.onlyFiles(changed))] }
}

/** Ends the check where it fails. */
function runAnyway({ name, command, args, inputs, onlyFiles, prints }, key = null) {
  const started = performance.now()
  const ended = (error, stdout, stderr, resolve) => {
    if (error) {
      console.error(`${stdout}${stderr}\ncheck failed: ${name}`)
      process.exit(1)
    }
    remember(name, key, onlyFiles ? inputs : null)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`check ${name}: ok (${seconds} s)`)
    if (prints) console.log(stdout.trimEnd())
    resolve()
  }
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: OUTPUT_MAX }, (...outcome) => ended(...outcome, resolve))
  })
}
