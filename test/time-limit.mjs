// A limit on each test, loaded into every test process: a test that hangs fails by name, and the suite continues
// with the next file. It is generous, for a busy machine is not a fault.

// Loaded first, while timers are real: code that loads them for the first time while a test has stopped the
// clock would keep the stopped ones for good.
import 'node:timers/promises'
import { beforeEach } from 'node:test'

// Kept from the beginning: a test that stops the clock replaces them, and its limit would never be taken back.
const { setTimeout, clearTimeout } = globalThis

const LIMIT_MS = 15 * 60_000

let timer

// What a test leaves to be done after it is held to its limit as well.
beforeEach((t) => {
  clearTimeout(timer)
  timer = setTimeout(() => {
    console.error(`“${t.name}” is not over after ${LIMIT_MS / 1000} seconds.`)
    process.exit(1)
  }, LIMIT_MS)
  timer.unref() // a test that waits for nothing any more is ended by the runner itself
})
