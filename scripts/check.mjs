// Everything that can be said of the code without running it: types, lint and format, promises that nobody
// waits for, regular expressions that strangers could make slow, unused code, the architecture rules, and whether generated files are what the code would
// generate now.

import { execFile } from 'node:child_process'
import path from 'node:path'

process.chdir(path.resolve(import.meta.dirname, '..'))
const OUTPUT_MAX = 64 * 1024 * 1024
const bin = (name) => path.join('node_modules', '.bin', name)

// Comes alone: others read what it writes.
const GENERATE = [
  'types of the API',
  process.execPath,
  ['scripts/generate-client.mjs', 'openapi.json', 'console/generated', 'types'],
]
const STEPS = [
  // By its path: the TypeScript 6 that the client generator needs brings a tsc of the same name.
  ['types', process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit']],
  ['types of the console', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'console']],
  ['lint and format', bin('biome'), ['check', '--error-on-warnings']],
  // Biome has this rule, too, but its own idea of types loses sight of methods that an interface inherits,
  // `db.query` among them: it found 21 of 28 planted ones. This asks TypeScript's own checker.
  ['floating promises', bin('oxlint'), ['--type-aware']],
  ['regular expressions', process.execPath, ['--import', 'tsx', 'scripts/regexes/check.ts']],
  ['words', process.execPath, ['scripts/words/check.mjs']],
  ['nothing unused', bin('knip'), []],
  ['architecture', process.execPath, ['--import', 'tsx', '--test', 'test/architecture.test.ts']],
  ['size of the console', process.execPath, ['scripts/console-size.mjs']],
  ['generated files', process.execPath, ['--import', 'tsx', 'scripts/write-openapi.ts', '--check']],
]

await run(GENERATE)
// Two at a time: most keep one processor busy, and no more.
const left = [...STEPS]
const runLeft = async () => {
  for (let step = left.shift(); step; step = left.shift()) await run(step)
}
await Promise.all([runLeft(), runLeft()])

/** Ends the check where it fails. */
function run([name, command, args]) {
  const started = performance.now()
  const ended = (error, stdout, stderr, resolve) => {
    if (error) {
      console.error(`${stdout}${stderr}\ncheck failed: ${name}`)
      process.exit(1)
    }
    const figure = name.startsWith('size') ? `, ${stdout.trim().split('\n').at(-1)}` : ''
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`check ${name}: ok (${seconds} s)${figure}`)
    resolve()
  }
  const options = { maxBuffer: OUTPUT_MAX }
  return new Promise((resolve) => {
    execFile(command, args, options, (...outcome) => ended(...outcome, resolve))
  })
}
