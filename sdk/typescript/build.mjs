// Builds the package in dist/: one JavaScript file and its types. Prints the size and fails if the client is too large to
// include anywhere without a thought.

import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'

const GZIPPED_MAX = 12_000

const here = import.meta.dirname
const root = path.resolve(here, '../..')
const out = path.join(here, 'dist')
rmSync(out, { recursive: true, force: true })
buildSync({
  entryPoints: [path.join(here, 'src/index.ts')],
  outfile: path.join(out, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'error',
})
const tsc = [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', here]
const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', out]
const { status } = spawnSync(process.execPath, [...tsc, ...types], { stdio: 'inherit' })
if (status !== 0) process.exit(1)
copyFileSync(path.join(root, 'LICENSE'), path.join(here, 'LICENSE'))

const bytes = gzipSync(readFileSync(path.join(out, 'index.js'))).length
console.log(
  `@longcode/client: ${(bytes / 1000).toFixed(1)} kB gzipped (at most ${GZIPPED_MAX / 1000} kB)`,
)
if (bytes > GZIPPED_MAX) {
  console.error('The client is too large.')
  process.exit(1)
}
