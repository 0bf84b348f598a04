// A run for the test of the watchdog: starts a process, freezes it, makes a folder, reports both, and waits.

import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { watchFolder, watchProcess } from './watchdog.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-watched-'))
watchFolder(folder)
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
watchProcess(child)
child.kill('SIGSTOP')
process.stdout.write(`${JSON.stringify({ folder, pid: child.pid })}\n`)
setInterval(() => {}, 1_000)
