// The compiled program in a few large files instead of hundreds of small ones: a node that a test
// kills over and over is up again in two thirds of the time. It is the same code, from dist.

import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PROJECT = path.resolve(import.meta.dirname, '../..')
const DIST = path.join(PROJECT, 'dist')
// Two folders deep, as the files of dist are that look for migrations and package.json from there.
const BUNDLE = path.join(PROJECT, 'node_modules', '.longcode-nodes')

interface Bundler {
  build: (options: object) => Promise<unknown>
}

/** The address of the folder with what a process of the service loads. */
export async function nodeProgram(): Promise<string> {
  // The bundler is that of tsx, which compiles these tests.
  const loader = fileURLToPath(import.meta.resolve('tsx'))
  const { build } = (await import(createRequire(loader).resolve('esbuild'))) as Bundler
  await build({
    entryPoints: ['serve.js', 'kit/config.js'].map((file) => path.join(DIST, file)),
    outdir: BUNDLE,
    outbase: DIST,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    plugins: [{ name: 'packages', setup: leavePackages }],
  })
  return `${pathToFileURL(BUNDLE).href}/`
}

// Packages stay where they are, since some read files beside them. Typebox, half of all files, does not.
function leavePackages(build: {
  onResolve: (filter: object, resolve: (asked: { path: string }) => object | undefined) => void
}): void {
  build.onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
    name.startsWith('typebox') ? undefined : { path: name, external: true },
  )
}
