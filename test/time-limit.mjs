// A limit on each test, loaded into every test process: what hangs fails by name, and the suite goes on
// with the next file. It is generous, for a busy machine is not a fault.

import { afterEach, beforeEach } from 'node:test'

const LIMIT_MS = 15 * 60_000

let timer

beforeEach((t) => {
  timer = setTimeout(() => {
    console.error(`“${t.name}” is not over after ${LIMIT_MS / 1000} seconds.`)
    process.exit(1)
  }, LIMIT_MS)
  timer.unref() // a test that waits for nothing any more is ended by the runner itself
})

afterEach(() => clearTimeout(timer))
