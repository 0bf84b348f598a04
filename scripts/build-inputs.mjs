// The files that a build and the documentation site are made from, and a stamp of their sizes and times. `longcode` in a clone compares the stamp on
// every start, because reading and hashing the files takes ten times as long. It needs nothing but Node.

import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const SCRIPTS = ['scripts/compile-program.mjs', 'scripts/bundle-program.mjs']
/** Files outside these folders that pages of the documentation are made from or link to. */
const DOC_FOLDERS = ['docs', 'examples', 'ops', 'scripts/docs']
const DOC_FILES =
  /^(?:[A-Z_]+\.md|LICENSE|Dockerfile|openapi\.json|\.env\.example|\w+\.example\.yaml|package-lock\.json)$/
/** Next to the hash of the contents, which decides whenever the stamp differs. */
export const STAMP_FILE = 'dist/.stamp'
export const INSTALL_MARK = 'node_modules/.longcode-lock-hash'

/** Paths below `root`, always in the same order. */
export function listBuildInputs(root) {
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))
  const code = ['src', 'console'].flatMap((folder) => listFiles(root, folder)).filter(isShipped)
  return [...settings, 'package.json', 'package-lock.json', ...SCRIPTS, ...code]
}

/** What the documentation site is made from. */
export function listDocInputs(root) {
  const files = readdirSync(root).filter((name) => DOC_FILES.test(name))
  const below = DOC_FOLDERS.flatMap((folder) => listFiles(root, folder))
  const clients = ['sdk/python/README.md', 'sdk/typescript/README.md']
  return [...files, ...below, ...clients, 'console/public/theme.js']
}

/** Changes whenever a file does. ctime is included because tools set mtime at will. */
export function stampInputs(root) {
  return [...listBuildInputs(root), ...listDocInputs(root), INSTALL_MARK]
    .map((file) => {
      const found = statSync(path.join(root, file), { throwIfNoEntry: false })
      return `${file} ${found?.size} ${found?.mtimeMs} ${found?.ctimeMs}`
    })
    .join('\n')
}

export function listFiles(root, folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? listFiles(root, file) : [file]
    })
}

function isShipped(file) {
  return !/\.test\.tsx?$/.test(file) && !file.startsWith(path.join('console', 'generated'))
}
