// A delivery as a curl command: a shell parses it back to what was sent.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { SentRequest } from '../../generated/types.gen'
import { curlOfDelivery, headersText } from './sent-request'

const REQUEST: SentRequest = {
  method: 'POST',
  url: "http://127.0.0.1:3000/it's?a=$HOME&b=`x`",
  headers: [
    { name: 'host', value: '127.0.0.1:3000' },
    { name: 'content-type', value: 'application/json' },
    { name: 'x-webhook-signature', value: '…3aUe' },
    { name: 'webhook-signature', value: 'v1,a+/=' },
    { name: 'content-length', value: '9' },
  ],
}
const BODY = `{"body":"it's $5 \\u00fc\n🎉"}`

test('a shell keeps every byte, with the full signature and without headers that curl adds', () => {
  const command = curlOfDelivery(REQUEST, BODY, 'q4ZJ3aUe')
  const shell = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`
  const { stdout } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
  assert.deepEqual(stdout.split('\0').slice(0, -1), [
    '-X',
    'POST',
    REQUEST.url,
    '-H',
    'content-type: application/json',
    '-H',
    'x-webhook-signature: q4ZJ3aUe',
    '-H',
    'webhook-signature: v1,a+/=',
    '--data-raw',
    BODY,
  ])
  assert.match(curlOfDelivery(REQUEST, BODY, '…3aUe'), /x-webhook-signature: …3aUe/)
})

test('headers keep the order in which they were sent', () => {
  assert.match(headersText(REQUEST), /^host: .*\ncontent-type: .*\nx-webhook-signature: …3aUe\n/)
})
