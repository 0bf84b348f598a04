// Clients that open a connection and send nothing, or half of a request, do not delay a stop.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { eventually, testService } from '../harness.js'

test('a stop waits neither for a silent connection nor for an unfinished request', async (t) => {
  const service = await testService(t)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { server } = service.app
  const { port } = server.address() as AddressInfo
  const texts = [
    '',
    'GET /health HTTP/1.1\r\nHost: a',
    'POST /v1/message HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{',
  ]
  const closed = texts.map(async (text) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}).resume() // the service may reset it
    if (text) socket.write(text)
    await once(socket, 'close')
  })
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_, open) => resolve(open)))
  await eventually(async () => (await count()) === texts.length, 'every connection')
  await service.app.close()
  await Promise.all(closed)
  assert.equal(await count(), 0)
})
