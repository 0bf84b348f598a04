// Replaces a settings file whole or not at all: written next to it, then renamed over it. It may contain
// passwords, so only its owner (and a group that could read it before) may read it.

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
/** The permissions that a previous file may keep: its group, never everyone. */
const KEPT_BITS = 0o660

/**
 * Why it could not be replaced, as a system error code; null on success. `mayBe` sees it under its temporary
 * name and may reject it.
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

/** Why it could not be replaced, as far as that is known in advance; null if nothing is in the way. */
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

function writeAs(file: string, text: string, previous: ReturnType<typeof ownerOf>): void {
  const handle = openSync(file, 'wx', OWNER_ONLY)
  try {
    writeSync(handle, text)
    fchmodSync(handle, previous ? (previous.mode & KEPT_BITS) | OWNER_ONLY : OWNER_ONLY)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  const isOwn =
    !previous || (previous.uid === process.getuid?.() && previous.gid === process.getgid?.())
  if (!isOwn) chownSync(file, previous.uid, previous.gid)
}

function ownerOf(file: string) {
  return statSync(file, { throwIfNoEntry: false }) ?? null
}

/** A symbolic link stays one: its target is replaced. */
function followLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
