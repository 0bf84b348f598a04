// Call data waits while the database is down. The log reports each outage once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeLoop } from './write-loop.js'

test('each outage is logged once, and a failed write stays a failure', async () => {
  const warned: string[] = []
  let isDown = false
  const write = async () => {
    if (isDown) throw new Error('no database')
  }
  const log = { warn: (_: object, text: string) => warned.push(text) }
  const loop = writeLoop('calls', log as never, write, 'calls wait')
  const signal = new AbortController().signal
  const step = () => loop.step(signal).catch((error: unknown) => loop.onError(error))

  for (let outages = 1; outages <= 2; outages += 1) {
    assert.equal(await step(), 0)
    isDown = true
    await step()
    await step()
    isDown = false
    assert.deepEqual(warned, Array(outages).fill('calls wait'))
  }
})
