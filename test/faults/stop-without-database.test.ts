// A process gets SIGTERM while the database does not respond. It gives its last writes a few seconds, then leaves them
// to other processes and exits before a supervisor would kill it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type RunningServe, startCommand, startServe } from '../commands/run-command.js'
import { freePort } from '../free-port.js'
import { cloneDatabase, eventually } from '../harness.js'
import { assertDollars, type Sending, SMS_PRICE, sendingService } from '../sending.js'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.js'

const SENDS = 20

interface Stage {
  sending: Sending
  proxy: DatabaseProxy
  serve: RunningServe
  trySend: (i: number) => Promise<{ status: number; id: string | undefined }>
}

/** A process that uses the database through the proxy, and a service that uses the same database directly. */
async function openStage(t: TestContext): Promise<Stage> {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const proxy = await startDatabaseProxy(t, service.databaseUrl)
  const port = String(await freePort())
  const serve = await startServe(t, {
    DATABASE_URL: proxy.url,
    PORT: port,
    LONGCODE_SIP_PORT: 'off',
    LONGCODE_LOG_LEVEL: 'warn',
  })
  const trySend = async (i: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/message/send`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        'idempotency-key': `key ${i}`,
      },
      body: JSON.stringify({ campaign: campaignId, to: '+14155550107', body: `Number ${i}` }),
    })
    const body = (await response.json()) as { id?: string }
    return { status: response.status, id: body.id }
  }
  return { sending, proxy, serve, trySend }
}

for (const state of ['silent', 'refused'] as const) {
  test(`SIGTERM ends a process cleanly while its database is ${state} and messages are in flight`, async (t) => {
    const { sending, proxy, serve, trySend } = await openStage(t)
    const { service } = sending
    const before = await service.balance()
    const first = await trySend(0)
    assert.equal(first.status, 200)
    await sending.until(first.id!, 'DELIVERED')
    // Some are accepted and submitted by now, and some are not.
    const sends = Array.from({ length: SENDS }, (_, i) => trySend(i + 1).catch(() => null))
    await Promise.any(sends)
    proxy.become(state)
    serve.child.kill('SIGTERM')
    assert.equal(await serve.ended, 0, serve.log())
    assert.doesNotMatch(serve.log(), /Some work did not finish/)
    await Promise.all(sends)

    proxy.become('open')
    const successor = await startServe(t, {
      DATABASE_URL: proxy.url,
      PORT: '0',
      LONGCODE_SIP_PORT: 'off',
    })
    const { body } = await service.get(`/v1/message/list?campaign=${sending.campaignId}&limit=100`)
    const ids = body.messages.map(({ id }: { id: string }) => id) as string[]
    await sending.advance(180)
    for (const id of ids) await sending.until(id, 'DELIVERED')
    assertDollars(await service.balance(), before - ids.length * SMS_PRICE)
    successor.child.kill('SIGTERM')
    assert.equal(await successor.ended, 0, successor.log())
  })
}

test('SIGTERM ends a process that waits for its database to start', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const proxy = await startDatabaseProxy(t, url)
  proxy.become('silent')
  const child = startCommand(['serve'], { DATABASE_URL: proxy.url, PORT: '0' })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stderr!.on('data', (text) => (output += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await eventually(async () => proxy.count() > 0, 'it connects to its database')
  child.kill('SIGTERM')
  assert.equal(await ended, 1)
  assert.match(output, /Stopped before the service was ready\./)
})
