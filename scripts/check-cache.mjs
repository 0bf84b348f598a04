// Remembers which steps of the check have passed with which inputs, so a step runs again only if something it reads
// has changed. A fresh clone, and CI, run everything.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FILE = path.join('node_modules', '.cache', 'longcode-check.json')
const DELETED = 'deleted'
// What every step depends on.
const COMMON = ['package-lock.json', 'package.json', 'scripts/check.mjs', 'tsconfig.json']

const passed = read()
const hashes = hashFiles()

/**
 * A hash of all files below these names and of the command. With `countsNames`, the names of all other files count too.
 * Null where git cannot list the files.
 */
export function keyOf(names, command, countsNames = false) {
  if (hashes === null) return null
  const sum = createHash('sha256').update(process.version).update(JSON.stringify(command))
  for (const [file, hash] of inputsOf(names)) sum.update(`${file}\0${hash}\0`)
  const existing = countsNames ? hashes.filter(([, hash]) => hash !== DELETED) : []
  for (const [file] of existing) sum.update(`${file}\0`)
  return sum.digest('hex')
}

function inputsOf(names) {
  const isInput = (file) =>
    names.some((name) => name === '.' || file === name || file.startsWith(`${name}/`))
  return hashes.filter(([file]) => COMMON.includes(file) || isInput(file))
}

export function hasPassed(step, key) {
  return key !== null && passed[step]?.key === key
}

/**
 * For a step that reads each file alone: the files that changed since it passed, deleted ones excluded. Null if it has
 * not passed yet or something that concerns every file has changed.
 */
export function changedSince(step, names, settings) {
  const before = passed[step]?.files
  if (!before || hashes === null) return null
  const changed = inputsOf(names).filter(([file, hash]) => before[file] !== hash)
  if (changed.some(([file]) => COMMON.includes(file) || settings.includes(file))) return null
  return changed.filter(([, hash]) => hash !== DELETED).map(([file]) => file)
}

/** The files among these that import one of the others. */
export function importersOf(files, names) {
  const ends = files.map((file) => `/${path.basename(file).replace(/\.tsx?$/, '')}.`)
  return inputsOf(names)
    .filter(([file, hash]) => /\.tsx?$/.test(file) && hash !== DELETED)
    .map(([file]) => file)
    .filter((file) => {
      const text = readFileSync(file, 'utf8')
      return ends.some((end) => text.includes(end))
    })
}

export function remember(step, key, names = null) {
  if (key === null) return
  passed[step] = { key, ...(names && { files: Object.fromEntries(inputsOf(names)) }) }
  mkdirSync(path.dirname(FILE), { recursive: true })
  writeFileSync(FILE, JSON.stringify(passed))
}

/** Tracked files and new ones, without ignored ones. */
function hashFiles() {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const names = execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const files = [...new Set(names.split('\0').filter(Boolean))].sort()
    return files.map((file) => [file, hashOf(file)])
  } catch {
    return null
  }
}

function hashOf(file) {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } catch {
    return DELETED
  }
}

function read() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch {
    return {}
  }
}
