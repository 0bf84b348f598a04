// Writes the commit that a package or image is built from to dist/commit, where `longcode --version` finds it. A build
// without git (an image) passes it as LONGCODE_COMMIT.

import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

process.chdir(path.resolve(import.meta.dirname, '..'))
const FILE = 'dist/commit'
const LENGTH = 12
const commit = process.env.LONGCODE_COMMIT?.slice(0, LENGTH) || askGit()
if (commit) writeFileSync(FILE, `${commit}\n`)
else rmSync(FILE, { force: true })

function askGit() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const head = git('rev-parse', `--short=${LENGTH}`, 'HEAD')
    const isChanged = git('status', '--porcelain', '--untracked-files=no') !== ''
    return isChanged ? `${head}, modified` : head
  } catch {
    return null // a source archive
  }
}
