// An independent program as a peer: started in its own folder, awaited by condition, and stopped with the test. Its
// output is part of the error if something fails.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from '../patience.js'

const KEPT_LINES = 40

export interface PeerProcess {
  child: ChildProcessWithoutNullStreams
  /** Everything it wrote, byte by byte. */
  output: () => string
  write: (line: string) => void
  /** Waits for a condition. On timeout, the error has the last lines of the output. */
  until: <T>(look: () => T | Promise<T>, what: string) => Promise<NonNullable<T>>
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** The peer ends with its owner: a test or a benchmark. */
export type Owner = Pick<TestContext, 'after'>

/** `endsWithInput`: no signal stops it, only the end of its input, which also comes when the test ends. */
export function startPeer(
  t: Owner,
  command: string,
  args: readonly string[],
  cwd?: string,
  { endsWithInput = false } = {},
): PeerProcess {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('latin1')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  child.stdin.on('error', () => {})
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (endsWithInput) child.stdin.end()
    else child.kill(signal)
    await ended
  }
  t.after(() => stop())
  return {
    child,
    output: () => output,
    write: (line) => child.stdin.write(`${line}\n`),
    until: (look, what) => untilTrue(look, () => `${what}; ${command} said:\n${lastLines(output)}`),
    stop,
  }
}

function lastLines(text: string): string {
  return text.split('\n').slice(-KEPT_LINES).join('\n')
}

export async function untilTrue<T>(
  look: () => T | Promise<T>,
  what: () => string,
): Promise<NonNullable<T>> {
  const startMs = performance.now()
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > startMs + patienceMs()) throw new Error(`waited in vain for ${what()}`)
    await sleep(20)
  }
}

export function privateFolder(t: Owner): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-peer-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Whether a command succeeds, such as one that prints its version. */
export function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
