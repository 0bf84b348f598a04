// Prompts at the terminal: secrets are not shown.

import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CommandFailure } from '../failure.js'
import { createAsker } from './ask.js'

function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ''
  output.on('data', (part) => (shown += part))
  return { input, asker: createAsker(input, output), shown: () => shown }
}

test('the terminal shows an answer as it is typed, but not a secret', async () => {
  const { input, asker, shown } = terminal()
  const name = asker.ask('Name')
  input.write(' ada \r')
  assert.equal(await name, 'ada')
  assert.match(shown(), /Name: .*ada/)
  const secret = asker.askHidden('Key')
  input.write('KEY-hush\x7fh\r')
  assert.equal(await secret, 'KEY-hush')
  const after = asker.ask('More')
  input.write('yes\r')
  assert.equal(await after, 'yes')
  assert.match(shown(), /Key: /)
  assert.ok(!shown().includes('hush'), shown())
  asker.close()
})

test('closing the terminal before the last answer changes nothing', async () => {
  const { input, asker } = terminal()
  const name = asker.ask('Name')
  input.end()
  await assert.rejects(name, (error) => error instanceof CommandFailure && error.code === 'ended')
})
