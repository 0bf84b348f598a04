// Ends what a run has started if the run itself can no longer do it, for example after kill -9. It reads lines from the
// run (`+process PID`, `-process PID`, `+folder PATH`, `-folder PATH`) until the run ends, however it ends. Then it kills
// the processes that are left, even frozen ones, and removes the folders.

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 100
// An embedded database has its own watchdog and may take a while to shut down. Its files are removed after that.
const POLLS_MAX = 600

const processes = new Set()
const folders = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

for await (const line of createInterface({ input: process.stdin })) {
  const [, sign, kind, value] = /^([+-])(process|folder) (.+)$/.exec(line) ?? []
  const set = kind === 'folder' ? folders : processes
  if (sign === '+') set.add(value)
  else set.delete(value)
}

for (const pid of processes) end(Number(pid))
for (const folder of folders) {
  for (let polls = 0; isUsed(folder) && polls < POLLS_MAX; polls += 1) await sleep(POLL_MS)
  await remove(folder)
}

/** A compiler that was just killed may still be writing. */
async function remove(folder) {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    try {
      return rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      await sleep(POLL_MS)
    }
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Whether a running process names the folder in its command. */
function isUsed(folder) {
  try {
    return readdirSync('/proc').some(
      (name) => /^\d+$/.test(name) && commandOf(name).includes(folder),
    )
  } catch {
    return false // no Linux
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // it has ended
  }
}
