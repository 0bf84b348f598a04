// A run that is killed leaves no process and no folder behind, not even a frozen process.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const LIMIT_MS = 60_000

/** A zombie has ended. Its new parent has not noticed yet. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`after ${signal}, nothing that a run started is left`, async () => {
    const script = path.resolve('bench/chaos/processes/watched-run.ts')
    const run = spawn(process.execPath, ['--import', 'tsx', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface({ input: run.stdout }), 'line')) as [string]
    const { folder, pid } = JSON.parse(line) as { folder: string; pid: number }
    assert.ok(isRunning(pid))
    assert.ok(existsSync(folder))
    run.kill(signal)
    const untilMs = Date.now() + LIMIT_MS
    while ((isRunning(pid) || existsSync(folder)) && Date.now() < untilMs) await sleep(50)
    assert.equal(isRunning(pid), false, 'the frozen process is gone')
    assert.equal(existsSync(folder), false, 'the folder is gone')
  })
}
