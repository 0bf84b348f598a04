// What `longcode doctor` reports about image resizing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSharp } from './doctor-checks.js'

test('doctor reports a missing sharp in one line, and does not fail', async () => {
  assert.equal((await checkSharp()).state, 'ok')
  const { state, text, remedy } = await checkSharp(() => Promise.reject(new Error('no binary')))
  assert.equal(state, 'note')
  assert.match(
    text,
    /^sharp cannot be loaded\. MMS with images that are too large fail with error 1391\.$/,
  )
  assert.match(remedy!, /npm ci/)
})
