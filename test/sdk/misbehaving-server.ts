// A server that plays a list of replies, one per request: cut connections, half a body, refusals, or a normal reply.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type Play = (response: ServerResponse) => void

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

interface MisbehavingServer {
  baseUrl: string
  seen: Seen[]
}

/** Replies to the first request with the first play. The last one repeats. */
export async function misbehavingServer(
  t: TestContext,
  ...plays: Play[]
): Promise<MisbehavingServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    plays[Math.min(seen.length, plays.length) - 1]!(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** Closes the connection without a byte. */
export const cut: Play = (response) => response.destroy()

/** Never replies. */
export const hang: Play = () => {}

/** Announces more bytes than it sends, then closes the connection. */
export const halfABody: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{ "success": true, "id"', () => response.destroy())
}

export function reply(status: number, body: object | string, headers = {}): Play {
  return (response) => {
    response.writeHead(status, headers)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
