// Builds the program of an earlier commit from the git history, with the current packages. It is not available without
// that history (an archive or a shallow clone).

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { build } from 'esbuild'
import { freePort } from '../free-port.js'
import { eventually } from '../harness.js'

/** The last commit before the released version. Update it at the next release. */
const PREVIOUS = 'f15c05b'
const PROJECT = process.cwd()

const hasHistory =
  spawnSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: PROJECT }).status === 0

/** Why a test is skipped, or false. */
export const WITHOUT_HISTORY =
  !hasHistory && `commit ${PREVIOUS} is not in the history of this folder: git fetch --unshallow`

/** Returns the file to run. Removed when the test ends. */
export async function previousProgram(t: TestContext): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-previous-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const unpack = `git archive ${PREVIOUS} src migrations package.json | tar -x -C "$1"`
  const unpacked = spawnSync('sh', ['-c', unpack, 'sh', folder], { cwd: PROJECT })
  if (unpacked.status !== 0) throw new Error(`git archive: ${unpacked.stderr}`)
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'))
  // Three folders deep, because files in dist find migrations and package.json by a relative path.
  const outdir = path.join(folder, 'a', 'b', 'c')
  mkdirSync(outdir, { recursive: true })
  cpSync(path.join(folder, 'package.json'), path.join(folder, 'a', 'b', 'package.json'))
  await build({
    entryPoints: [path.join(folder, 'src', 'main.ts')],
    outdir,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
  return path.join(outdir, 'main.js')
}

export interface ServedProgram {
  address: string
  /** Sends SIGTERM and returns the exit code. */
  stop: () => Promise<number | null>
  output: () => string
}

/** Runs `longcode serve` from this file and waits until it is ready. Killed when the test ends. */
export async function serveProgram(
  t: TestContext,
  file: string,
  env: Record<string, string>,
): Promise<ServedProgram> {
  const port = String(await freePort())
  const child = spawn(process.execPath, [file, 'serve'], {
    cwd: PROJECT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: port, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${output}`)
    return output.includes('Try it:')
  }, 'a program that serves')
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    output: () => output,
  }
}
