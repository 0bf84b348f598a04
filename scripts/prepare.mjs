// Prepares a fresh clone: installs packages if they differ from the lock file and, with `build`, compiles src to
// dist, the console to dist/console, and docs to dist/docs if they are stale. npm runs it before start, test, and check, so it is fast
// and silent when there is nothing to do. It needs only Node, because nothing else may be installed yet.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  INSTALL_MARK,
  listBuildInputs,
  listDocInputs,
  listFiles,
  STAMP_FILE,
  stampInputs,
} from './build-inputs.mjs'

// The marks hold a hash of what was installed or compiled. Times of files say nothing after a clone.
const BUILD_MARK = 'dist/.inputs'
const DRAFT = 'dist-draft'
const DOCS = 'dist/docs'
const DOCS_MARK = 'dist/docs/.inputs'
const DOCS_BUILDER = 'scripts/docs/build.mjs'
const COMPILER = 'scripts/compile-program.mjs'
const BUNDLER = 'scripts/bundle-program.mjs'
const LOCK = '.prepare-lock'
const LOCK_POLL_MS = 100
// A lock names its owner right after it is made. One that stays without was left by a killed run.
const OWNERLESS_LOCK_MS = 5_000

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'))
const wantsBuild = process.argv.includes('build')
const isForced = process.argv.includes('--force')

try {
  checkNode()
  // From before the hashes are compared: a file that changes meanwhile is read again next time.
  const stamp = stampInputs('.')
  const isStale = () =>
    !isInstalled() || (wantsBuild && (isForced || !isBuilt() || !hasCurrentDocs()))
  if (isForced || readText(STAMP_FILE) !== stamp) {
    if (isStale()) await underLock(prepare)
    if (wantsBuild) tryWrite(STAMP_FILE, stamp)
  }
} catch (error) {
  const isOthers = error.code === 'EACCES' || error.code === 'EROFS'
  console.error(isOthers ? `This user cannot write here: ${error.message}` : error.message)
  process.exitCode = 1
}

// Asks again, under the lock: the run that we waited for may have done it all.
function prepare() {
  if (!isInstalled()) install()
  if (!wantsBuild) return
  if (isForced || !isBuilt()) build()
  if (isForced || !hasCurrentDocs()) buildDocs()
}

function checkNode() {
  const needed = /\d+\.\d+/.exec(readJson('package.json').engines.node)[0]
  const [major, minor] = needed.split('.').map(Number)
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return
  throw new Error(`Longcode needs Node ${needed} or newer, and this is ${process.versions.node}.`)
}

function isInstalled() {
  return readText(INSTALL_MARK) === installHash() || isInstalledByHand()
}

function installHash() {
  // The platform counts: a folder that moves between systems has the wrong programs in it.
  return hash([process.platform, process.arch, readText('package-lock.json')])
}

// npm keeps a list of what it installed. It agrees after `npm ci` or `npm install` by hand.
function isInstalledByHand() {
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed) return false
  const wanted = Object.entries(readJson('package-lock.json').packages)
  const isWhole = wanted.every(([name, { version, optional }]) =>
    installed[name] ? installed[name].version === version : name === '' || optional,
  )
  const isOurs = Object.values(installed).every(
    ({ os, cpu }) => suits(os, process.platform) && suits(cpu, process.arch),
  )
  if (isWhole && isOurs) tryWrite(INSTALL_MARK, installHash())
  return isWhole && isOurs
}

function suits(list, own) {
  if (!list) return true
  return list.includes(own) || (list[0].startsWith('!') && !list.includes(`!${own}`))
}

function install() {
  say(
    existsSync('node_modules') ? 'Updating packages …' : 'Installing packages (first start only) …',
  )
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const npm = process.env.npm_execpath
  // The npm that runs us, which need not be the first in the path, nor there at all.
  if (npm && path.basename(npm).startsWith('npm')) run(process.execPath, [npm, ...args], 'npm ci')
  else run('npm', args, 'npm ci')
  writeFileSync(INSTALL_MARK, installHash())
}

function isBuilt() {
  return readText(BUILD_MARK) === buildHash()
}

function buildHash() {
  return hashFiles(listBuildInputs('.'))
}

function hasCurrentDocs() {
  return readText(DOCS_MARK) === hashFiles(listDocInputs('.'))
}

function hashFiles(files) {
  return hash(files.flatMap((file) => [file, readFileSync(file)]))
}

// Compiled next to its destination and swapped in, so a failed build leaves the old one, and a file that is
// gone from src is gone from dist.
function build() {
  say('Building …')
  const inputs = buildHash()
  try {
    compile()
    writeFileSync(path.join(DRAFT, path.basename(BUILD_MARK)), inputs)
    if (existsSync(DOCS)) renameSync(DOCS, path.join(DRAFT, path.basename(DOCS)))
    rmSync('dist', { recursive: true, force: true })
    renameSync(DRAFT, 'dist')
  } finally {
    rmSync(DRAFT, { recursive: true, force: true })
  }
}

function compile() {
  rmSync(DRAFT, { recursive: true, force: true }) // a killed run may have left one
  run(process.execPath, [COMPILER, DRAFT], 'esbuild')
  for (const file of listFiles('.', 'src').filter((name) => !name.endsWith('.ts'))) {
    cpSync(file, path.join(DRAFT, path.relative('src', file)))
  }
  run(process.execPath, [BUNDLER, DRAFT], 'esbuild')
  const out = path.resolve(DRAFT, 'console')
  const config = ['--config', 'console/vite.config.ts', '--outDir', out, '--logLevel', 'error']
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', ...config], 'vite build')
}

/** A link that leads nowhere must not keep the service from starting: `npm run check` reports it. */
function buildDocs() {
  say('Building the documentation …')
  const inputs = hashFiles(listDocInputs('.'))
  run(process.execPath, [DOCS_BUILDER, '--lenient'], 'scripts/docs/build.mjs')
  writeFileSync(DOCS_MARK, inputs)
}

function run(program, args, name) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  throw new Error(`${name} failed${error ? `: ${error.message}` : '; its messages are above'}.`)
}

async function underLock(work) {
  await takeLock()
  try {
    work()
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

async function takeLock() {
  for (let isNoted = false; ; ) {
    try {
      mkdirSync(LOCK)
      writeFileSync(path.join(LOCK, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = readText(path.join(LOCK, 'pid'))
    if (owner ? !isAlive(Number(owner)) : lockAgeMs() > OWNERLESS_LOCK_MS) {
      removeStaleLock(owner)
      continue
    }
    if (!isNoted && owner) {
      say(`Waiting for process ${owner}, which prepares this folder (else delete ${LOCK}) …`)
      isNoted = true
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
}

// Moved aside first: if another run has replaced the stale lock in this moment, its lock goes back.
function removeStaleLock(owner) {
  const aside = `${LOCK}-${process.pid}`
  try {
    renameSync(LOCK, aside)
    if (readText(path.join(aside, 'pid')) === owner) rmSync(aside, { recursive: true })
    else renameSync(aside, LOCK)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function lockAgeMs() {
  try {
    return Date.now() - statSync(LOCK).mtimeMs
  } catch {
    return 0 // just given free
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function hash(parts) {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part ?? '').update('\0')
  return sum.digest('hex')
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function readJson(file) {
  const text = readText(file)
  return text === null ? null : JSON.parse(text)
}

function tryWrite(file, text) {
  try {
    writeFileSync(file, text)
  } catch {
    // A read-only folder: the next run compares again, which costs milliseconds.
  }
}

// To stderr, so that what a script prints can still be piped.
function say(line) {
  console.error(line)
}
