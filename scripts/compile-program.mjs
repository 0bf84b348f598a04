// Compiles the program's sources file by file, without their tests. Types are not checked here: `npm run check` does
// that, and a build in a tenth of the time is what a first start waits for.

import { readdirSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'

const isSource = (name) => name.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(name)

buildSync({
  entryPoints: readdirSync('src', { recursive: true })
    .filter(isSource)
    .map((name) => path.join('src', name)),
  outbase: 'src',
  outdir: process.argv[2],
  format: 'esm',
  tsconfig: 'tsconfig.json',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'error',
})
