// What an operator reads if the setup of a link fails: one sentence for each kind of failure, with what to do.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { ProviderRequest } from './provider.js'
import { defineCodes } from './provider-codes.js'
import { createSetupClient, nullIfRefused, unreadable } from './provisioning.js'
import { parseJson, textAt } from './read-answer.js'

const SETUP = {
  title: 'Acme',
  codes: defineCodes({ throttled: ['71'], fault: ['72'] }),
  setup: {
    noFundsCodes: ['20', '21'],
    parseError: ({ body }: { body: Buffer }) => {
      const parsed = parseJson(body)
      return { code: textAt(parsed, 'code'), text: textAt(parsed, 'text') }
    },
  },
}

interface Answer {
  status: number
  body?: object | string
}

/** A null answer closes the connection after the request. */
async function stage(t: TestContext, answer: Answer | null, allowPrivate = true) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      if (answer === null) return request.socket.destroy()
      const { status, body = {} } = answer
      return response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createSetupClient(SETUP, { timeoutMs: 60_000, allowPrivate })
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(async () => {
    await client.close()
    await stop()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const failure = async (method: ProviderRequest['method'] = 'GET') => {
    const request = { method, url: `${origin}/x`, headers: {} }
    const error = await client.requestJson(request, { what: 'the balance' }).catch((error) => error)
    assert.ok(error instanceof RemoteFault, String(error))
    return error.message
  }
  return { origin, failure, stop }
}

const NO = { code: '9', text: 'No' }
const RETRY = 'Try again later. Existing resources are found and not created twice.'

/** The response, and the sentence. */
const REFUSALS: readonly (readonly [number, object, string])[] = [
  [401, NO, 'Acme rejected this key (HTTP 401, 9 No). Copy the whole key, or create a new one.'],
  [401, {}, 'Acme rejected this key (HTTP 401). Copy the whole key, or create a new one.'],
  [
    402,
    { text: 'Pay' },
    'The Acme account has no funds (HTTP 402, Pay). Add funds, and try again.',
  ],
  [400, { code: '20' }, 'The Acme account has no funds (HTTP 400, 20). Add funds, and try again.'],
  [403, { code: '21' }, 'The Acme account has no funds (HTTP 403, 21). Add funds, and try again.'],
  [
    403,
    NO,
    'Acme accepted the key, but it has no permission for the balance (HTTP 403, 9 No). Add the permission, or use another key.',
  ],
  [429, NO, 'Acme is throttling requests (HTTP 429, 9 No). Wait a minute, and try again.'],
  [
    400,
    { code: '71' },
    'Acme is throttling requests (HTTP 400, 71). Wait a minute, and try again.',
  ],
  [500, {}, `Acme returned HTTP 500 for the balance. ${RETRY}`],
  [503, NO, `Acme returned HTTP 503, 9 No for the balance. ${RETRY}`],
  [400, NO, 'Acme refused the balance (HTTP 400, 9 No).'],
  [422, { code: '72' }, 'Acme refused the balance (HTTP 422, 72).'],
  [302, {}, 'Acme refused the balance (HTTP 302).'],
]

test('each refusal has its own sentence, with the provider’s code and text', async (t) => {
  for (const [status, body, sentence] of REFUSALS) {
    const { failure } = await stage(t, { status, body })
    assert.equal(await failure(), sentence)
  }
})

test('an unexpected response names the address that it came from', async (t) => {
  for (const body of ['<html>', '""', 'null']) {
    const { failure, origin } = await stage(t, { status: 200, body })
    const sentence = `${origin} returned an unexpected response for the balance. Check that it is the URL of Acme.`
    assert.equal(await failure(), sentence)
    const { kind, message } = unreadable('Acme', 'the balance', `${origin}/v2/balance`)
    assert.deepEqual([kind, message], ['refused', sentence])
  }
})

test('without a response, a change may have been made, and a provider that nothing reached is named with its address', async (t) => {
  const { failure, origin, stop } = await stage(t, null)
  const lost = 'The connection was closed before the answer was complete.'
  const unreached = (why: string) =>
    `Acme could not be reached for the balance at ${origin}: ${why} Check the network connection of this machine, and try again.`
  assert.equal(await failure('GET'), unreached(lost))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const sentence = `Acme did not confirm the balance: ${lost} Try again. Existing resources are found and not created twice.`
    assert.equal(await failure(method), sentence)
  }
  await stop()
  assert.match(await failure('POST'), /^Acme could not be reached for the balance at http:\S+: /)
})

test('a setup that may not use private addresses does not', async (t) => {
  const { failure } = await stage(t, { status: 200, body: {} }, false)
  assert.match(await failure(), /^Acme could not be reached for the balance at .*: The URL /)
})

test('optional information is null if it is refused, and other errors are not hidden', () => {
  assert.equal(nullIfRefused(new RemoteFault('later', 'No')), null)
  assert.throws(() => nullIfRefused(new TypeError('a bug')), TypeError)
})
