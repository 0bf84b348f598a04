// Requests that could not be parsed get a response if possible, and are disconnected if not.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { Log } from '../../kit/log.js'
import type { RouteMap } from '../route-map.js'
import { answerUnread, readRequestLine, refuseConnection } from './unread-requests.js'

function answer(error: object, state: object = {}) {
  const ended: string[] = []
  const asked: string[][] = []
  const lines: object[] = []
  let destroyed = 0
  const socket = {
    writable: true,
    end: (text: string) => ended.push(text),
    destroy: () => {
      destroyed += 1
    },
    ...state,
  } as unknown as Socket
  const routes = {
    find: () => null,
    failureOf: (path: string, method: string) => {
      asked.push([path, method])
      return { success: false }
    },
  } as RouteMap
  const keep = (fields: object) => lines.push(fields)
  const log = { isLevelEnabled: () => true, debug: keep, info: keep, error: keep } as unknown as Log
  answerUnread({ routes, log, publicUrl: 'https://sms.test' }, error, socket)
  return { ended, asked, lines, destroyed: () => destroyed }
}

test('if the request line is readable, the failure has its endpoint’s shape, without the query', () => {
  const line = (text: string) => answer({ rawPacket: Buffer.from(`${text}\r\nhost: a\r\n`) }).asked
  assert.deepEqual(line('POST /v1/message/send?a=1 HTTP/1.1'), [['/v1/message/send', 'POST']])
  assert.deepEqual(line('GET /x HTTP/1.0'), [['/x', 'GET']])
  for (const text of ['hello', 'get /x HTTP/1.1', 'GET /x HTTP/2.0', ' GET /x HTTP/1.1']) {
    assert.deepEqual(line(text), [['', 'unknown']], text)
  }
})

test('the response is complete, gives the reason, and closes the connection a moment later', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [code, status, reason, shown] of [
    ['HPE_HEADER_OVERFLOW', 431, 'Request Header Fields Too Large', 'headers_too_large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'Request Timeout', 'request_late'],
    ['HPE_INVALID_METHOD', 400, 'Bad Request', 'request_malformed'],
    [undefined, 400, 'Bad Request', 'request_malformed'],
  ] as const) {
    const { ended, lines, destroyed } = answer({ code })
    const [head, body] = ended[0]!.split('\r\n\r\n') as [string, string]
    const { requestId, ...rest } = JSON.parse(body)
    assert.deepEqual(head.split('\r\n'), [
      `HTTP/1.1 ${status} ${reason}`,
      `x-request-id: ${requestId}`,
      'content-type: application/json; charset=utf-8',
      'x-content-type-options: nosniff',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ])
    assert.equal(rest.success, false)
    assert.equal(rest.code, shown)
    assert.equal(rest.help, `https://sms.test/docs/errors#${shown}`)
    const line = { requestId, method: 'unknown', route: 'unread', status, ms: 0 }
    assert.deepEqual(lines, [{ ...line, account: undefined }])
    t.mock.timers.tick(999)
    assert.equal(destroyed(), 0)
    t.mock.timers.tick(1)
    assert.equal(destroyed(), 1)
  }
})

test('nothing is written to a client that disconnected or in the middle of a response', () => {
  for (const { ended, destroyed } of [
    answer({ code: 'ECONNRESET' }),
    answer({}, { writable: false }),
    answer({}, { _httpMessage: { headersSent: true } }),
  ]) {
    assert.deepEqual(ended, [])
    assert.equal(destroyed(), 1)
  }
  assert.equal(answer({}, { _httpMessage: { headersSent: false } }).ended.length, 1)
})

test('an endless request line is read once, whatever it contains', () => {
  for (const text of [`GET /${'a'.repeat(30_000)}`, `GET ${' '.repeat(30_000)}x HTTP/1.1\r\n`]) {
    assert.deepEqual(readRequestLine(text), { method: 'unknown', path: '' })
  }
  const long = `/${'a'.repeat(15_000)}`
  assert.deepEqual(readRequestLine(`GET ${long}?b HTTP/1.1\r\n`), { method: 'GET', path: long })
})

/** A refused connection, and how it ended. */
function refused() {
  let end = 'nothing'
  const socket = Object.assign(new EventEmitter(), {
    resume: () => {},
    destroy: () => {
      end = 'closed'
    },
    end: () => {
      end = 'answered'
    },
  })
  refuseConnection(socket as unknown as Socket, 'connections_exhausted', 'https://sms.test')
  return { end: () => end, close: () => socket.emit('close') }
}

test('500 refused connections are answered at a time, others are closed, and each that ends makes room', () => {
  const connections = Array.from({ length: 500 }, refused)
  assert.deepEqual(new Set(connections.map(({ end }) => end())), new Set(['answered']))
  assert.equal(refused().end(), 'closed')
  connections[0]!.close()
  const next = refused()
  assert.equal(next.end(), 'answered')
  assert.equal(refused().end(), 'closed')
  for (const { close } of [next, ...connections.slice(1)]) close()
})
