// Answers requests that Node's parser rejects: bytes that are not HTTP, endless headers, a body that never
// arrives. They too get a text and a request ID, in the shape of their endpoint if the request line is
// readable. Then the connection is closed.

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FailureFields } from '../../kit/contract/operation.js'
import { Refusal, type RefusalCode } from '../../kit/contract/refusal.js'
import type { Log } from '../../kit/log.js'
import { failureAt } from '../failure-replies.js'
import { logAnswer, nextRequestId } from '../request-log.js'
import type { RouteMap } from '../route-map.js'

const REFUSALS: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_late',
}

// Closing immediately while bytes still arrive would reset the connection (RST) and lose the response.
const LINGER_MS = 1_000

const LINE_BYTES = 20_000

interface ParserError {
  code?: string
  rawPacket?: Buffer
}

export interface UnreadDeps {
  routes: RouteMap
  log: Log
  publicUrl: string
}

/** Connections that have their response. More of their bytes are errors again, and are discarded until the end. */
const answeredSockets = new WeakSet<Socket>()

export function answerUnread(deps: UnreadDeps, error: object, socket: Socket): void {
  if (answeredSockets.has(socket)) return
  const { routes, log, publicUrl } = deps
  const { code = '', rawPacket } = error as ParserError
  // Node keeps the response in progress here. Nothing can be written into the middle of it.
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse }
  if (code === 'ECONNRESET' || !socket.writable || underWay?.headersSent) {
    socket.destroy()
    return
  }
  answeredSockets.add(socket)
  const refusal = new Refusal(REFUSALS[code] ?? 'request_malformed')
  const requestId = nextRequestId()
  const { method, path } = readRequestLine(rawPacket?.toString('latin1', 0, LINE_BYTES) ?? '')
  const fields = routes.failureOf(path, method)
  endWith(socket, replyText(path, refusal, requestId, { fields, publicUrl }))
  const answered = { requestId, method, route: 'unread', status: refusal.status, ms: 0 }
  logAnswer(log, { ...answered, account: undefined })
}

/**
 * The method and path of a request line, or `unknown` if the bytes are not one. Strangers choose these bytes,
 * so each character is read once: a regular expression over the whole line once cost a second of CPU time for
 * 30,000 letters.
 */
export function readRequestLine(head: string): { method: string; path: string } {
  const end = head.indexOf('\r\n')
  const [method = '', target = '', version = '', ...more] = head
    .slice(0, Math.max(end, 0))
    .split(' ', 4)
  const isLine =
    more.length === 0 &&
    /^[A-Z]+$/.test(method) &&
    (version === 'HTTP/1.1' || version === 'HTTP/1.0') &&
    !/\s/.test(target)
  const [path = ''] = target.split('?', 1)
  return isLine && path !== '' ? { method, path } : { method: 'unknown', path: '' }
}

// Refused connections that are still being answered. Above this number, they are closed without a response,
// because a flood must cost little.
const TOLD_MAX = 500
let told = 0

/** For a connection that the gate refused: one response, before anything is read. */
export function refuseConnection(socket: Socket, code: RefusalCode, publicUrl: string): void {
  socket.on('error', () => socket.destroy())
  if (told >= TOLD_MAX) {
    socket.destroy()
    return
  }
  told += 1
  socket.once('close', () => {
    told -= 1
  })
  const refusal = new Refusal(code)
  const requestId = nextRequestId()
  socket.resume() // its bytes are discarded, because unread bytes would reset the connection and lose the response
  endWith(socket, replyText('', refusal, requestId, { fields: {}, publicUrl }))
}

function endWith(socket: Socket, text: string): void {
  socket.end(text)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function replyText(
  path: string,
  refusal: Refusal,
  requestId: string,
  { fields, publicUrl }: { fields: FailureFields; publicUrl: string },
): string {
  const failed = failureAt(path, refusal, fields, requestId, publicUrl)
  const { status } = failed
  const body = JSON.stringify(failed.body)
  const more = Object.entries(failed.headers).map(([name, value]) => `${name}: ${value}`)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    ...more,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
