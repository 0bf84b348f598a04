// Only requests that every parser reads the same way are read here. All others are left to Node.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfHead, HEAD_BYTES_MAX, readPlainHead } from './plain-request.js'

const USUAL = ['host: a', 'Authorization:Bearer  x \t', 'content-length: 12']

function read(headers: readonly string[], line = 'POST /v1/message/send HTTP/1.1') {
  const bytes = Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n{"a":"\r\n\r\n"}`, 'latin1')
  const bodyStart = endOfHead(bytes)
  return bodyStart === -1 ? null : readPlainHead(bytes, bodyStart)
}

test('a usual request is read, with names in lower case and values without spaces around them', () => {
  const bodyStart = ['POST /v1/message/send HTTP/1.1', ...USUAL, '', ''].join('\r\n').length
  assert.deepEqual(read(USUAL), {
    url: '/v1/message/send',
    headers: { host: 'a', authorization: 'Bearer  x', 'content-length': '12' },
    bodyStart,
    bodyLength: 12,
  })
  assert.equal(read([...USUAL, 'Connection: Keep-Alive', 'x-empty:'])?.headers['x-empty'], '')
})

test('a request that parsers could read differently is left to Node', () => {
  const cases: [string, readonly string[], string?][] = [
    ['another method', USUAL, 'GET /v1/message/send HTTP/1.1'],
    ['a method in lower case', USUAL, 'post /v1/message/send HTTP/1.1'],
    ['another version', USUAL, 'POST /v1/message/send HTTP/1.0'],
    ['an absolute URL', USUAL, 'POST http://a/v1/message/send HTTP/1.1'],
    ['two spaces', USUAL, 'POST  /v1/message/send HTTP/1.1'],
    ['an empty line first', USUAL, '\r\nPOST /v1/message/send HTTP/1.1'],
    ['no host', USUAL.slice(1)],
    ['two hosts', [...USUAL, 'Host: b']],
    ['two lengths', [...USUAL, 'content-length: 12']],
    ['two lengths in one', ['host: a', 'content-length: 12, 12']],
    ['a signed length', ['host: a', 'content-length: +12']],
    ['a length in hexadecimal', ['host: a', 'content-length: 0x0c']],
    ['a long length', ['host: a', 'content-length: 1200000']],
    ['no length', ['host: a']],
    ['chunks', [...USUAL, 'Transfer-Encoding: chunked']],
    ['an empty transfer encoding', [...USUAL, 'Transfer-Encoding:']],
    ['a space before the colon', [...USUAL, 'transfer-encoding : chunked']],
    ['a folded line', [...USUAL, 'x-a: b', '\tc']],
    ['a bare line feed', [...USUAL, 'x-a: b\nx-c: d']],
    ['a bare carriage return', [...USUAL, 'x-a: b\rx-c: d']],
    ['NUL', [...USUAL, 'x-a: b\0']],
    ['other characters', [...USUAL, 'x-a: \xfc']],
    ['a line without a colon', [...USUAL, 'nothing']],
    ['an empty name', [...USUAL, ': b']],
    ['a name of every object', [...USUAL, '__proto__: b']],
    ['another name of every object', [...USUAL, 'Constructor: b']],
    ['an expectation', [...USUAL, 'expect: 100-continue']],
    ['an upgrade', [...USUAL, 'upgrade: websocket']],
    ['a connection that ends', [...USUAL, 'connection: close']],
    ['a connection option', [...USUAL, 'connection: keep-alive, x-a']],
    ['a long head', [...USUAL, `x-a: ${'b'.repeat(HEAD_BYTES_MAX)}`]],
  ]
  for (const [name, headers, line] of cases) assert.equal(read(headers, line), null, name)
})

test('a head that does not end is left to Node', () => {
  assert.equal(endOfHead(Buffer.from('POST / HTTP/1.1\r\nhost: a\r\n')), -1)
  assert.equal(endOfHead(Buffer.alloc(0)), -1)
})
