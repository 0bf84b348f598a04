// Compiles program and tests for a run of them: each process of the tests then loads what it needs in a third of
// the time that loading the sources takes. The folder looks like the project: what is not compiled is linked.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const COMPILED = ['src', 'test', 'bench', 'scripts']
const OPTIONS = ['--noEmit', 'false', '--noCheck', '--inlineSourceMap']

/** Says where a source of the project is in the folder. */
export function compileTests(root, folder) {
  mkdirSync(folder)
  const places = ['-p', root, '--rootDir', root, '--outDir', folder]
  run(path.join(root, 'node_modules/typescript/bin/tsc'), [...places, ...OPTIONS])
  run(path.join(root, 'scripts/bundle-packages.mjs'), [path.join(folder, 'src')])
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

function run(program, args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' })
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
