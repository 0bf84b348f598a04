// Loaded into every test process before anything else: node's test runner follows every promise there is, to know
// which test an error that nobody caught comes from, and that makes promises ten times as dear. Tests run one after
// another here, and all of them at the top of their files: the one that runs is the one that it comes from.

import asyncHooks from 'node:async_hooks'

const STAY_MS = 60_000

const { createHook } = asyncHooks
const quiet = { enable: () => quiet, disable: () => quiet }
asyncHooks.createHook = () => quiet
const { afterEach, beforeEach } = await import('node:test') // takes the function as it finds it
asyncHooks.createHook = createHook

const { clearTimeout, setTimeout } = globalThis // a test may stop the clock

let running = null
let leaving
const uncaught = []

// The runner hears of it as well, and fails the file.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    console.error(`${running ? `During “${running}”` : 'Outside of tests'}, ${event}:`, error)
    uncaught.push(error)
    clearTimeout(leaving)
    leaving = setTimeout(() => process.exit(1), STAY_MS).unref() // what waits for it would wait forever
  })
}

beforeEach(({ name }) => {
  running = name
})

afterEach(() => {
  clearTimeout(leaving)
  const [error] = uncaught.splice(0)
  if (error !== undefined) throw error
})
