// Which version this is, where it is installed, and what to call it in messages: a clone, a package, or an image.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folder of package.json: the same from src and from dist. */
const ROOT = path.resolve(import.meta.dirname, '../../..')
/** `npm pack` and the image build write it. A clone asks git instead. */
const COMMIT_FILE = path.join(ROOT, 'dist/commit')
const COMMIT_LENGTH = 12

const isClone = existsSync(path.join(ROOT, 'src'))

export const { version: VERSION } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
) as { version: string }

/** How people start the command line here. */
export const COMMAND = isClone ? 'npx longcode' : 'longcode'

/** Such as `0.2.0 (commit 0f35e39d1c2b)`. Without the commit if this copy does not record it. */
export function describeVersion(): string {
  const commit = findCommit()
  return commit === null ? VERSION : `${VERSION} (commit ${commit})`
}

function findCommit(): string | null {
  if (!isClone) {
    return existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, 'utf8').trim() : null
  }
  const args = ['rev-parse', `--short=${COMMIT_LENGTH}`, 'HEAD']
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** A page or example that ships with the program, as a path that can be opened from here. */
export function shippedFile(name: string): string {
  return process.cwd() === ROOT ? name : path.join(ROOT, name)
}
