// A compiled copy of the project for one worker. Tests that run in it load no compiler, which is most of the cost
// of a short test, and a mutation is applied by recompiling one file. The project itself is not changed, and
// several mutants can run at the same time.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { filesBelow } from '../test-database.mjs'
import { apply, type Mutant } from './mutant.js'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const COMPILED = ['src', 'test', 'bench', 'scripts']
const LEFT_OUT = ['.git', 'data']

export interface Mirror {
  /** Where a file of the repository is, compiled. */
  placeOf: (file: string) => string
  /** The file of the repository that an address stands for; null for what is none. */
  fileAt: (url: string) => string | null
  root: string
  plant: (mutant: Mutant) => void
  restore: (mutant: Mutant) => void
  remove: () => void
}

export function createMirror(): Mirror {
  const root = mkdtempSync(path.join(os.tmpdir(), 'longcode-mirror-'))
  const others = readdirSync(ROOT).filter((name) => ![...COMPILED, ...LEFT_OUT].includes(name))
  for (const name of others) symlinkSync(path.join(ROOT, name), path.join(root, name))
  for (const file of COMPILED.flatMap(filesBelow)) copy(file, root)
  return {
    root,
    placeOf: (file) => path.join(root, compiledName(file)),
    fileAt: (url) => fileAt(url, root),
    plant: (mutant) => compile(mutant.file, apply(read(mutant.file), mutant), root),
    restore: ({ file }) => copy(file, root),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function compiledName(file: string): string {
  return file.replace(/\.ts$/, '.js')
}

function fileAt(url: string, root: string): string | null {
  if (!url.startsWith('file:')) return null
  const file = path.relative(root, fileURLToPath(url))
  return file.startsWith('..') ? null : file.replace(/\.js$/, '.ts')
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

function copy(file: string, root: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  if (file.endsWith('.ts')) {
    compile(file, read(file), root)
    // Some tests read sources as text.
    if (!existsSync(path.join(root, file)))
      symlinkSync(path.join(ROOT, file), path.join(root, file))
  } else cpSync(path.join(ROOT, file), path.join(root, file))
}

function compile(file: string, text: string, root: string): void {
  const { code } = transformSync(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: file,
  })
  writeFileSync(path.join(root, compiledName(file)), code)
}
