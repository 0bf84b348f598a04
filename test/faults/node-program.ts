// The compiled program in a few large files instead of hundreds of small ones: a node that a test
// kills over and over is up again in two thirds of the time. It is the same code, from dist.

import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type PluginBuild } from 'esbuild'

const PROJECT = process.cwd()
const DIST = path.join(PROJECT, 'dist')
// Three folders deep, as the files of dist are that look for migrations and package.json from there.
const BUNDLE = path.join(PROJECT, 'node_modules', '.longcode', 'nodes')

/** The address of the folder with what a process of the service loads. */
export async function nodeProgram(): Promise<string> {
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
function leavePackages({ onResolve }: PluginBuild): void {
  onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
    name.startsWith('typebox') ? undefined : { path: name, external: true },
  )
}
