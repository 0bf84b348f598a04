// Names with a meaning in JavaScript, such as __proto__ and constructor, are ordinary keys or are refused by
// name. They never reach a prototype.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendingService, VZW } from '../sending.js'

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }

test('__proto__ in metadata is refused by name, also if it is escaped', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const bodyWith = (metadata: string) =>
    `{"campaign":"${campaignId}","to":"${VZW}","body":"Hello","metadata":${metadata}}`
  for (const name of ['__proto__', '\\u005f_proto__', '__\\u0070roto__']) {
    const { status, body } = await service.post(
      '/v1/message/send',
      bodyWith(`{"order":"1","${name}":"x"}`),
      JSON_TYPE,
    )
    assert.equal(status, 400)
    assert.deepEqual(body, {
      success: false,
      error: 'metadata.__proto__ is not allowed as a name. Choose another one',
      code: 'field_invalid',
      details: [
        { field: 'metadata.__proto__', problem: 'is not allowed as a name. Choose another one' },
      ],
    })
  }
  const inside = `{"messages":[{},${bodyWith('{"__proto__":{"polluted":"yes"}}')}]}`
  const batch = await service.post('/v1/message/batch', inside, JSON_TYPE)
  assert.equal(
    batch.body.error,
    'messages[1].metadata.__proto__ is not allowed as a name. Choose another one',
  )
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  const broken = await service.post('/v1/message/send', '{"__proto__":', JSON_TYPE)
  assert.equal(broken.body.code, 'json_broken')
})

test('constructor, prototype, and toString are ordinary keys', async (t) => {
  const { trySend, message } = await sendingService(t)
  const metadata = {
    constructor: 'a',
    prototype: 'b',
    toString: 'c',
    hasOwnProperty: 'd',
    valueOf: 'e',
    'a __proto__ b': 'f',
  }
  const { body } = await trySend({ metadata })
  assert.equal(body.success, true, JSON.stringify(body))
  assert.deepEqual({ ...(await message(body.id)).metadata }, { ...metadata })
})
