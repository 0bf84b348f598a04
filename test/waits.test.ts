// Waits in tests end early if what they wait for cannot come.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from './harness.js'
import { watchLog } from './log-watch.js'
import { untilStatus } from './until-status.js'

test('a wait ends with an error of the program that a service logs again and again', async () => {
  const { log } = watchLog('silent')
  const fault = new TypeError('the list is undefined')
  let rounds = 0
  const wait = eventually(async () => {
    rounds += 1
    log.error({ err: fault }, 'the loop failed')
    return false
  }, 'the work of the loop')
  await assert.rejects(
    wait,
    /^AssertionError.*: the work of the loop cannot come about: TypeError: the list is/,
  )
  assert.equal(rounds, 3)
})

test('a wait continues after other errors, and after errors of earlier waits', async () => {
  const { log } = watchLog('silent')
  const other = new Error('the link is down')
  let rounds = 0
  await eventually(async () => {
    rounds += 1
    log.error({ err: other }, 'the loop failed')
    return rounds > 4
  }, 'the work of the loop')
})

test('a wait for a status ends when only a request could lead there', async () => {
  const statuses = ['PENDING', 'UNVERIFIED']
  const get = async () => {
    const brand = { status: statuses.shift(), reviewNotes: [{ field: 'ein' }] }
    return { status: 200, headers: {}, body: { brand } }
  }
  const wait = untilStatus({ get }, 'brand', 'brd_1', 'VERIFIED')
  await assert.rejects(wait, /the brand is UNVERIFIED: \[{"field":"ein"}\]/)
})
