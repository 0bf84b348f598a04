// Everything that a run starts is gone when the run ends, however it ends. A separate process notices the end and cleans
// up what the run could not: after kill -9, or if a signal came while something was starting.

import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import type { Writable } from 'node:stream'

let toWatchdog: Writable | null = null

function tell(line: string): void {
  toWatchdog ??= start()
  toWatchdog.write(`${line}\n`)
}

/** In its own process group, so a signal to the group of the run does not reach it. */
function start(): Writable {
  const file = path.join(import.meta.dirname, 'watchdog.mjs')
  const child = spawn(process.execPath, [file], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  const { stdin } = child
  stdin.on('error', () => {}) // without it, the run continues as before
  ;(stdin as Writable & { unref: () => void }).unref()
  return stdin
}

/** Ends with this process. */
export function watchProcess(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  tell(`+process ${pid}`)
  child.once('exit', () => tell(`-process ${pid}`))
}

/** Is removed after this process, unless it is released first. */
export function watchFolder(folder: string): void {
  tell(`+folder ${folder}`)
}

export function releaseFolder(folder: string): void {
  tell(`-folder ${folder}`)
}
