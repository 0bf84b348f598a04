// Loaded into every test process before anything else. Node's test runner tracks every promise to know which test an
// uncaught error belongs to, which makes promises ten times as expensive. Here, tests run one after another and are all
// at the top level of their files, so an error belongs to the test that is running.

import asyncHooks from 'node:async_hooks'

const STAY_MS = 60_000

const { createHook } = asyncHooks
const quiet = { enable: () => quiet, disable: () => quiet }
asyncHooks.createHook = () => quiet
const { afterEach, beforeEach } = await import('node:test') // captures the function while it is replaced
asyncHooks.createHook = createHook

const { clearTimeout, setTimeout } = globalThis // a test may replace them
const { now } = performance

let running = null
let exitTimer
const uncaught = []

// The runner sees the error too, and fails the file.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    console.error(`${running ? `During “${running}”` : 'Outside of tests'}, ${event}:`, error)
    uncaught.push(error)
    clearTimeout(exitTimer)
    exitTimer = setTimeout(() => process.exit(1), STAY_MS).unref() // whatever waits for it would wait forever
  })
}

beforeEach(({ name }) => {
  const before = running
  running = name
  if (performance.now === now && globalThis.setTimeout === setTimeout) return
  performance.now = now
  globalThis.setTimeout = setTimeout
  throw new Error(`The test before this one, “${before}”, has left a stopped clock.`)
})

afterEach(() => {
  clearTimeout(exitTimer)
  const [error] = uncaught.splice(0)
  if (error !== undefined) throw error
})
