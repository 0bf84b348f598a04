// `longcode distribute` on a server without Citus.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandStage, runCommand } from './run-command.js'

test('distribute explains what to do first if Citus is missing', async (t) => {
  const { env } = await commandStage(t)
  const { code, err } = await runCommand(['distribute'], env)
  assert.equal(code, 1)
  assert.match(err, /^This database does not have Citus\. Run `create extension citus`/)
})
