// What a failed request to a provider means: it can be sent again, must be looked up first, or was refused permanently
// (decision 0106).

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { ProviderRequest } from './provider.js'
import { createProviderClient, type ProviderClientOptions } from './provider-client.js'
import { defineCodes } from './provider-codes.js'
import { parseJson, textAt } from './read-answer.js'

type Method = ProviderRequest['method']

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The provider's response. Null reads the request and closes the connection. */
type Answer = { status: number; body?: object | string } | null

async function stage(
  t: TestContext,
  answer: Answer,
  more: Pick<ProviderClientOptions, 'describe'> = {},
) {
  const received: (string | undefined)[] = []
  const server: Server = createServer((request, response) => {
    received.push(request.method)
    request.resume().once('end', () => {
      if (answer === null) request.socket.destroy()
      else response.writeHead(answer.status).end(textOf(answer.body ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createProviderClient({
    codes: defineCodes({ throttled: ['71'], fault: ['72'] }),
    parseError: ({ body }) => {
      const parsed = parseJson(body)
      return { code: textAt(parsed, 'code'), text: textAt(parsed, 'text') }
    },
    timeoutMs: 30_000,
    ...more,
  })
  t.after(async () => {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/x`
  return { client, server, url, received }
}

const textOf = (body: object | string) => (typeof body === 'string' ? body : JSON.stringify(body))

async function faultOf(request: Promise<unknown>): Promise<RemoteFault> {
  const error = await request.then(
    () => null,
    (fault) => fault,
  )
  assert.ok(error instanceof RemoteFault, String(error))
  return error
}

const kindsOf = (kind: (method: Method) => string) => METHODS.map((one) => [one, kind(one)])

test('a lost POST must be looked up first, and a lost PUT, PATCH, or DELETE is sent again', async (t) => {
  for (const answer of [null, { status: 502 }]) {
    const { client, url, received } = await stage(t, answer)
    const kinds = []
    for (const method of METHODS) {
      const { kind } = await faultOf(client.request({ method, url, headers: {} }))
      kinds.push([method, kind])
    }
    assert.deepEqual(
      kinds,
      kindsOf((method) => (method === 'POST' ? 'unknown' : 'later')),
    )
    assert.deepEqual(received, METHODS, 'each arrived once')
  }
})

test('a request that never left is sent again, whatever its method', async (t) => {
  const { client, server, url } = await stage(t, null)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  for (const method of METHODS) {
    const { kind } = await faultOf(client.request({ method, url, headers: {} }))
    assert.equal(kind, 'later', method)
  }
})

test('an error is a permanent refusal only if it is about the content of a request that changes something', async (t) => {
  const kindOf = async (method: Method, status: number, code?: string) => {
    const { client, url } = await stage(t, { status, body: { code, text: 'No' } })
    return faultOf(client.request({ method, url, headers: {} }))
  }
  for (const status of [400, 409, 410, 412, 422]) {
    const { kind, message, code } = await kindOf('POST', status, '9')
    assert.deepEqual([kind, message, code], ['refused', 'No (9)', '9'])
    assert.equal((await kindOf('PUT', status)).kind, 'refused')
    assert.equal((await kindOf('GET', status)).kind, 'later', 'a GET changes nothing')
  }
  for (const status of [401, 402, 403, 405, 408, 413, 429]) {
    const { kind, message } = await kindOf('POST', status, '9')
    assert.deepEqual([kind, message], ['later', `HTTP ${status} 9 No`])
  }
  for (const code of ['71', '72']) assert.equal((await kindOf('POST', 400, code)).kind, 'later')
})

test('a missing resource is null, and a JSON response is parsed', async (t) => {
  const missing = await stage(t, { status: 404 })
  const request = { method: 'GET', headers: {} } as const
  assert.equal(await missing.client.request({ ...request, url: missing.url }), null)
  const there = await stage(t, { status: 200, body: { a: 1 } })
  assert.deepEqual(await there.client.requestJson({ ...request, url: there.url }), { a: 1 })
})

test('a response that is not JSON is refused, and the error describes the request', async (t) => {
  for (const body of ['<html>', '"text"', 'null', '']) {
    const { client, url } = await stage(
      t,
      { status: 200, body },
      { describe: ({ what, status }) => `${what}: ${status}` },
    )
    const request = { method: 'GET', url, headers: {} } as const
    const { kind, message } = await faultOf(client.requestJson(request))
    assert.deepEqual([kind, message], ['refused', 'the request: 200'], body)
    const named = await faultOf(client.requestJson(request, { what: 'the balance' }))
    assert.equal(named.message, 'the balance: 200')
  }
})
