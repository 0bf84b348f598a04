// A time limit for each test, loaded into every test process: a test that hangs fails by name, and the suite continues
// with the next file. The limit is generous, because a busy machine is not a fault.

// Loaded first, while timers are real: code that loads them for the first time while a test has stopped the clock would
// keep the stopped ones forever.
import 'node:timers/promises'
import { beforeEach } from 'node:test'

// Saved at the start: a test that stops the clock replaces them, and its limit would never be cleared.
const { setTimeout, clearTimeout } = globalThis

const LIMIT_MS = 15 * 60_000

let timer

// Cleanup after a test counts toward its limit too.
beforeEach((t) => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    console.error(`“${t.name}” is not over after ${LIMIT_MS / 1000} seconds.`)
    process.exit(1)
  }, LIMIT_MS)
  timer.unref() // the runner ends a test that waits for nothing
})
