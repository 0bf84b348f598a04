// Everything that can be said of the code without running it: types, lint and format, promises that nobody
// waits for, what nothing uses, the map of the house, and whether generated files are what the code would
// generate now.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

process.chdir(path.resolve(import.meta.dirname, '..'))
const bin = (name) => path.join('node_modules', '.bin', name)

const STEPS = [
  // By its path: the TypeScript 6 that the client generator needs brings a tsc of the same name.
  ['types', process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit']],
  [
    'types of the API',
    process.execPath,
    ['scripts/generate-client.mjs', 'openapi.json', 'console/generated', 'types'],
  ],
  ['types of the console', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'console']],
  ['lint and format', bin('biome'), ['check', '--error-on-warnings']],
  // Biome has this rule, too, but its own idea of types loses sight of methods that an interface inherits,
  // `db.query` among them: it found 21 of 28 planted ones. This asks TypeScript's own checker.
  ['floating promises', bin('oxlint'), ['--type-aware']],
  ['nothing unused', bin('knip'), []],
  ['architecture', process.execPath, ['--import', 'tsx', '--test', 'test/architecture.test.ts']],
  ['size of the console', process.execPath, ['scripts/console-size.mjs']],
  ['generated files', process.execPath, ['--import', 'tsx', 'scripts/write-openapi.ts', '--check']],
]

for (const [name, command, args] of STEPS) {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) {
    console.error(`${stdout}${stderr}\ncheck failed: ${name}`)
    process.exit(1)
  }
  const figure = name.startsWith('size') ? `, ${stdout.trim().split('\n').at(-1)}` : ''
  console.log(`check ${name}: ok (${((performance.now() - started) / 1000).toFixed(1)} s)${figure}`)
}
