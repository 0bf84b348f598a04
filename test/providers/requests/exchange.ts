// A provider's API on loopback that plays a script: each request that a client must send, exactly, and the response to
// it. A case is one operation of a client with its script and its result.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { RemoteFault } from '../../../src/kit/http-client/remote-fault.js'
import type { ProviderName } from '../provider-messages.js'

/** A body is JSON, or text as it is. `cut` closes the connection in place of a response. */
export type Reply = 'cut' | readonly [status: number, body?: unknown]

/** A request as `METHOD path?query`, the path as sent and the query decoded, its body, and the response. */
export type Exchange = readonly [request: string, reply?: Reply, body?: unknown]

export interface Case<Client> {
  /** What happens, for the message of a failure. */
  when: string
  run: (client: Client) => Promise<unknown>
  exchanges: readonly Exchange[]
  /** The outcome. */
  result: unknown
}

/** The result of an operation that throws a RemoteFault. */
export const fault = (
  kind: RemoteFault['kind'],
  message: string,
  notes: RemoteFault['notes'] = [],
) => ({ fault: kind, message, notes })

/** The headers of a request. */
interface Signature {
  authorization: string
  accept?: string
  /** Of a request with a body. */
  contentType: string
}

type Sign = (request: string) => Signature

export const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
export const SID = `AC${'0'.repeat(32)}`
const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'

const signBandwidth: Sign = (request) => {
  const authorization = basic('u:p')
  const isDashboard = / \/dashboard\//.test(request)
  if (isDashboard) return { authorization, accept: XML_TYPE, contentType: XML_TYPE }
  return { authorization, contentType: JSON_TYPE }
}

export const SIGNATURES: Record<ProviderName, Sign> = {
  telnyx: () => ({ authorization: 'Bearer KEY', contentType: JSON_TYPE }),
  bandwidth: signBandwidth,
  twilio: () => ({
    authorization: basic(`${SID}:tok`),
    contentType: 'application/x-www-form-urlencoded',
  }),
}

/** The addresses of each provider's APIs, all at one peer. */
export const ADDRESSES: Record<ProviderName, (peer: string) => Record<string, string>> = {
  telnyx: (url) => ({ url }),
  bandwidth: (url) => ({ url, lookUpUrl: `${url}/lookup`, dashboardUrl: `${url}/dashboard` }),
  twilio: (url) => ({ url, lookUpUrl: `${url}/lookup`, messagingUrl: `${url}/messaging` }),
}

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'

interface Received {
  request: string
  body: unknown
  signature: Partial<Signature>
}

export interface Peer {
  url: string
  /** Plays the script of a case, and checks the requests and the result. */
  play: <Client>(client: Client, sign: Sign, one: Case<Client>) => Promise<void>
}

export async function startPeer(t: TestContext): Promise<Peer> {
  let script: readonly Exchange[] = []
  let received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push(receivedFrom(request, body))
    const [, reply = [200, {}] as const] = script[received.length - 1] ?? ['', [599]]
    if (reply === 'cut') request.socket.destroy()
    else response.writeHead(reply[0]).end(written(reply[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    play: async (client, sign, { when, run, exchanges, result }) => {
      script = exchanges
      received = []
      const outcome = await run(client).catch((error: unknown) => {
        if (!(error instanceof RemoteFault)) throw error
        return fault(error.kind, error.message, error.notes)
      })
      assert.deepEqual(
        received.map(({ request, body }) => [request, body]),
        exchanges.map(([request, , body]) => [request, body]),
        when,
      )
      for (const { request, signature, body } of received) {
        const { contentType, ...always } = sign(request)
        const expected = { ...always, ...(body !== undefined && { contentType }) }
        assert.deepEqual(signature, expected, `${when}: ${request}`)
      }
      assert.deepEqual(outcome, result, when)
    },
  }
}

function receivedFrom({ method, url = '', headers }: IncomingMessage, body: string): Received {
  const [path, query] = url.split('?')
  const { authorization = '', accept, 'content-type': contentType } = headers
  return {
    request: `${method} ${path}${query === undefined ? '' : `?${decoded(query)}`}`,
    body: body === '' ? undefined : parsed(body, contentType),
    signature: {
      ...{ authorization, ...(accept !== undefined && { accept }) },
      ...(contentType !== undefined && { contentType }),
    },
  }
}

const decoded = (query: string) => decodeURIComponent(query.replaceAll('+', ' '))

function parsed(body: string, contentType: string | undefined): unknown {
  if (contentType === JSON_TYPE) return JSON.parse(body)
  if (contentType === XML_TYPE) return body.replace(XML_HEAD, '')
  return Object.fromEntries(new URLSearchParams(body))
}

function written(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}
