// Puts a settings file in place whole or not at all: written beside it, then renamed over it. It may hold passwords, so
// nobody but its owner (and a group that could read it before) may read it.

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'

const OWNER_ONLY = 0o600
/** What a former file may keep: its group, never everybody. */
const KEPT_BITS = 0o660

/**
 * Why it could not be replaced, by the system's word; null where it was. `mayBe` sees it under its passing name, and may
 * say no.
 */
export function replaceFile(
  file: string,
  text: string,
  mayBe: (passing: string) => boolean,
): string | null {
  const target = followLinks(file)
  const passing = path.join(
    path.dirname(target),
    `.${path.basename(target)}.${randomBytes(6).toString('hex')}`,
  )
  try {
    writeAs(passing, text, ownerOf(target))
    if (!mayBe(passing)) {
      rmSync(passing)
      return 'not usable'
    }
    renameSync(passing, target)
    return null
  } catch (error) {
    rmSync(passing, { force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return code
  }
}

/** Why nobody could replace it, as far as that can be told beforehand; null where nothing is in the way. */
export function writeObstacle(file: string): string | null {
  try {
    const target = followLinks(file)
    if (ownerOf(target)) accessSync(target, constants.R_OK | constants.W_OK)
    accessSync(path.dirname(target), constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

function writeAs(file: string, text: string, former: ReturnType<typeof ownerOf>): void {
  const handle = openSync(file, 'wx', OWNER_ONLY)
  try {
    writeSync(handle, text)
    fchmodSync(handle, former ? (former.mode & KEPT_BITS) | OWNER_ONLY : OWNER_ONLY)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  const isOwn = !former || (former.uid === process.getuid?.() && former.gid === process.getgid?.())
  if (!isOwn) chownSync(file, former.uid, former.gid)
}

function ownerOf(file: string) {
  return statSync(file, { throwIfNoEntry: false }) ?? null
}

/** A symbolic link stays one: what it names is replaced. */
function followLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
