// PostgreSQL refuses to run as root. If Node runs as root, this file finds the system user for the database,
// and checks what that user can reach.

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { EmbeddedDatabaseFailure } from './failure.js'

export interface SystemUser {
  name: string
  uid: number
  gid: number
}

export type RunAs = SystemUser | null

// Database users come first. `nobody` may own files of others, so it comes last.
const NAMES_BEFORE_CREATING = ['postgres', 'longcode']
const NAME_LAST = 'nobody'

/** Null: run as the same user as Node, which works for everyone except root. */
export function chooseRunAs(ownerUids: readonly number[], note: (line: string) => void): RunAs {
  if (process.getuid?.() !== 0) return null
  // Existing data keeps its owner: after `sudo npm start` in your own folder, `npm start` without sudo must
  // still work.
  for (const uid of ownerUids) {
    const owner = uid === 0 ? null : findUsable(String(uid))
    if (owner) return owner
  }
  for (const name of NAMES_BEFORE_CREATING) {
    const user = findUsable(name)
    if (user) return user
  }
  const user = createUser(note) ?? findUsable(NAME_LAST)
  if (user) return user
  throw new EmbeddedDatabaseFailure(
    'PostgreSQL does not run as root, and no other system user can be used or created: start as an ordinary user, or set DATABASE_URL.',
  )
}

/** Spawn options that run a program as the given user. */
export function spawnAs(user: RunAs): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {}
}

/** The first folder on the path to `target` that the user cannot enter, or null if there is none. */
export function findBlockedFolder(target: string, user: RunAs): string | null {
  const way = [target]
  while (path.dirname(way[0]!) !== way[0]) way.unshift(path.dirname(way[0]!))
  // Checked by the kernel, as that user, because modes alone ignore access lists and groups.
  const script = 'for d; do cd "$d" 2>/dev/null || { printf %s "$d"; exit 1; }; done'
  const { status, stdout } = runShell(script, way, user)
  return status === 0 ? null : stdout
}

/** Runs a few lines of POSIX shell as the given user; `status` is null if it could not be started. */
export function runShell(
  script: string,
  args: readonly string[],
  user: RunAs,
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr, error } = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], {
    ...spawnAs(user),
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
  return { status, stdout: stdout ?? '', stderr: error?.message ?? stderr.trim() }
}

// A user is usable if it has a name (initdb requires one) and this root may switch to it, which a container
// without user mapping does not allow.
function findUsable(nameOrUid: string): SystemUser | null {
  const { status, stdout } = runShell('id -un "$1" && id -u "$1" && id -g "$1"', [nameOrUid], null)
  const [name, uid, gid] = stdout.trim().split('\n')
  if (status !== 0 || !name || Number(uid) === 0) return null
  const user = { name, uid: Number(uid), gid: Number(gid) }
  return runShell(':', [], user).status === 0 ? user : null
}

function createUser(note: (line: string) => void): SystemUser | null {
  const name = 'longcode'
  const made = runShell(
    'useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /bin/false "$1"',
    [name],
    null,
  )
  if (made.status !== 0) return null
  note(`Created the system user ${name}: PostgreSQL does not run as root.`)
  return findUsable(name)
}
