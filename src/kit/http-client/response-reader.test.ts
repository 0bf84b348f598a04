// Responses in every piece they can come in: where they end, what they contain, and which ones are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseReader } from './response-reader.js'

function readPieces(pieces: readonly Buffer[], method = 'GET') {
  let status = 0
  let headers: Record<string, string> = {}
  let body = ''
  let extra = 0
  const reader = new ResponseReader(method, {
    onHead: (...head) => {
      ;[status, headers] = head
    },
    onBody: (bytes) => {
      body += bytes.toString('latin1')
    },
  })
  for (const piece of pieces) extra += reader.isDone ? piece.length : reader.read(piece)
  const { isDone, isKept, keptSeconds } = reader
  return { status, headers, body, extra, isDone, isKept, keptSeconds, end: () => reader.end() }
}

const read = (text: string, method?: string) => readPieces([Buffer.from(text, 'latin1')], method)

const OK = 'HTTP/1.1 200 OK\r\n'

/** Responses that end without the end of the connection, with their bodies. */
const COMPLETE: readonly [text: string, body: string, method?: string][] = [
  [`${OK}content-length: 5\r\n\r\nhello`, 'hello'],
  [`${OK}Content-Length:0\r\n\r\n`, ''],
  [`${OK}content-length: 9\r\n\r\n`, '', 'HEAD'],
  ['HTTP/1.1 204\r\n\r\n', ''],
  ['HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n', ''],
  [`${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`, 'hello'],
  [
    `${OK}Transfer-Encoding: gzip, Chunked\r\n\r\n3;a=b\r\nhel\r\n2 \r\nlo\r\n000\r\nx: y\r\n\r\n`,
    'hello',
  ],
  [`HTTP/1.1 103 Hints\r\nlink: a\r\n\r\nHTTP/1.1 100\r\n\r\n${OK}content-length: 1\r\n\r\nx`, 'x'],
]

test('a response is the same in one piece, in two, and byte by byte', () => {
  for (const [text, body, method] of COMPLETE) {
    const bytes = Buffer.from(text, 'latin1')
    const splits = Array.from(bytes.keys(), (at) => [bytes.subarray(0, at), bytes.subarray(at)])
    const single = Array.from(bytes.keys(), (at) => bytes.subarray(at, at + 1))
    for (const pieces of [[bytes], ...splits, single]) {
      const answer = readPieces(pieces, method)
      assert.deepEqual([answer.isDone, answer.body, answer.extra], [true, body, 0], text)
      assert.ok(answer.status >= 200)
    }
    for (let at = 0; at < bytes.length; at += 1) {
      const part = readPieces([bytes.subarray(0, at)], method)
      assert.deepEqual([part.isDone, part.end()], [false, false], `${text} cut at ${at}`)
    }
    assert.equal(read(`${text}HTTP/1.1 200`, method).extra, 12, 'what comes after it is not read')
  }
})

test('without a length, the end of the connection ends the body', () => {
  for (const head of [OK, 'HTTP/1.0 200 OK\r\n', `${OK}transfer-encoding: gzip\r\n`]) {
    const answer = read(`${head}\r\nhello`)
    assert.deepEqual([answer.isDone, answer.body, answer.isKept], [false, 'hello', false])
    assert.equal(answer.end(), true)
  }
})

test('headers are in lowercase, without outer spaces, joined if they repeat or continue', () => {
  const { headers } = read(
    `${OK}Set-Cookie: a=1\r\nset-cookie:\tb=2 \r\nX-Long: one\r\n\t two\r\nx-latin: \xe9\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n`,
  )
  assert.deepEqual(headers, {
    'set-cookie': 'a=1, b=2',
    'x-long': 'one two',
    'x-latin': '\xe9',
    'content-length': '0',
  })
})

test('a connection is kept unless the response says otherwise', () => {
  const kept = (version: string, headers: string) =>
    read(`HTTP/${version} 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
  assert.equal(kept('1.1', '').isKept, true)
  assert.equal(kept('1.1', 'Connection: Close\r\n').isKept, false)
  assert.equal(kept('1.0', '').isKept, false)
  assert.equal(kept('1.0', 'connection: Keep-Alive\r\n').isKept, true)
  assert.equal(kept('1.1', '').keptSeconds, null)
  assert.equal(kept('1.1', 'Keep-Alive: max=9, Timeout=72\r\n').keptSeconds, 72)
})

test('what parsers disagree about is refused, and so is an endless head', () => {
  const refused = {
    NO_HTTP: ['220 mail', 'HTTP/2 200\r\n', 'x'],
    STATUS_LINE: [
      'HTTP/1.2 200 OK\r\n\r\n',
      'HTTP/1.1 99\r\n\r\n',
      'HTTP/1.1 2000\r\n\r\n',
      'HTTP/1.1  200\r\n\r\n',
    ],
    UPGRADE: ['HTTP/1.1 101 Switching\r\n\r\n'],
    HEADER: [...['no colon', 'a b: c', 'a : b', ': c', 'a: b\nc: d', 'a: \x00', 'a: b\rc']]
      .map((line) => `${OK}${line}\r\n\r\n`)
      .concat(`${OK} folded: first\r\n\r\n`),
    TWO_LENGTHS: [
      `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\n`,
      `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
    ],
    CONTENT_LENGTH: ['-1', '1,1', '0x1', '1e3', '', '9'.repeat(16)].map(
      (length) => `${OK}content-length: ${length}\r\n\r\n`,
    ),
    CHUNK_SIZE: ['', 'g', '-1', ' 1', '1 2', '1'.repeat(13)].map(
      (size) => `${OK}transfer-encoding: chunked\r\n\r\n${size}\r\n`,
    ),
    CHUNK_END: [`${OK}transfer-encoding: chunked\r\n\r\n1\r\nxy\r\n`],
    CHUNK_OVERFLOW: [`${OK}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(1_024)}`],
    TRAILER_OVERFLOW: [
      `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${`a: ${'x'.repeat(1_000)}\r\n`.repeat(17)}`,
    ],
    HEAD_OVERFLOW: [`${OK}a: ${'x'.repeat(16_384)}`, `${OK}a: ${'x'.repeat(16_384)}\r\n\r\n`],
  }
  for (const [code, texts] of Object.entries(refused)) {
    for (const text of texts)
      assert.throws(() => read(text), { code }, JSON.stringify(text.slice(0, 80)))
  }
})
