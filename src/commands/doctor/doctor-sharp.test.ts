// What the doctor says of pictures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSharp } from './doctor-checks.js'

test('where sharp does not load the doctor says so in one line, and it is no failure', async () => {
  assert.equal((await checkSharp()).state, 'ok')
  const { state, text, remedy } = await checkSharp(() => Promise.reject(new Error('no binary')))
  assert.equal(state, 'note')
  assert.match(
    text,
    /^sharp does not load here: MMS whose pictures are too large fail with 1391\.$/,
  )
  assert.match(remedy!, /npm ci/)
})
