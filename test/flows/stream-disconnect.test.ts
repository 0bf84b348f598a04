// A client that disconnects while its event stream is being opened leaves nothing behind.

import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { eventually, testService } from '../harness.js'

/** More than an account can have open. */
const ATTEMPTS = 30

test('streams of clients that disconnect during the token check do not count as open', async (t) => {
  const service = await testService(t)
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = new URL(base)
  for (let i = 0; i < ATTEMPTS; i += 1) {
    const token = await service.tokenWith(['read']) // not cached, so its check waits for the database
    await new Promise<void>((resolve) => {
      const socket = net.connect(Number(port), '127.0.0.1', () => {
        const head = `GET /v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`
        socket.write(head, () => socket.destroy())
      })
      socket.on('close', () => resolve())
    })
  }
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const headers = { authorization: `Bearer ${service.token}` }
  await eventually(async () => {
    const response = await fetch(`${base}/v1/events/stream`, { headers, signal: stopping.signal })
    return response.status === 200
  }, 'a new stream')
  assert.equal(stopping.signal.aborted, false)
})
