// Compiles the program and the tests for a test run, so each test process starts in a third of the time that
// loading the sources takes. The folder has the layout of the project: files that are not compiled are linked.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'

const COMPILED = ['src', 'test', 'bench', 'scripts', 'sdk']

/** Says where a source of the project is in the folder. */
export function compileTests(root, folder) {
  mkdirSync(folder)
  compile(root, folder)
  bundlePackages(root, path.join(folder, 'src'))
  for (const name of readdirSync(root)) {
    if (COMPILED.includes(name)) linkOthers(path.join(root, name), path.join(folder, name))
    else symlinkSync(path.join(root, name), path.join(folder, name))
  }
  // What tests use of these packages is what the program uses.
  for (const name of ['test', 'bench']) {
    symlinkSync(path.join(folder, 'src/node_modules'), path.join(folder, name, 'node_modules'))
  }
  return (file) =>
    path.join(folder, path.relative(root, path.resolve(file))).replace(/\.ts$/, '.js')
}

/** File by file, without looking at types: `npm run check` does. */
function compile(root, folder) {
  const sources = COMPILED.flatMap((name) => sourcesBelow(path.join(root, name)))
  buildSync({
    entryPoints: sources,
    outbase: root,
    outdir: folder,
    format: 'esm',
    tsconfig: path.join(root, 'tsconfig.json'),
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
  })
}

function sourcesBelow(folder) {
  const names = readdirSync(folder, { recursive: true })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => path.join(folder, name))
}

function bundlePackages(root, folder) {
  const program = path.join(root, 'scripts/bundle-packages.mjs')
  const { status } = spawnSync(process.execPath, [program, folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The tests could not be compiled; the messages are above.')
}

function linkOthers(from, to) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) linkOthers(source, target)
    else if (!entry.name.endsWith('.ts')) symlinkSync(source, target)
  }
}
