// Tests the reply check itself: a reply that differs from openapi.json fails its test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkReply, type Reply } from './declared-replies.js'
import { testService } from './harness.js'

test('a reply with a wrong field type, a missing field, or an undeclared status fails its test', async (t) => {
  const service = await testService(t)
  const { status, headers, body } = await service.get('/v1/account')
  const check = (reply: Partial<Reply>) =>
    checkReply(service, 'GET', '/v1/account?x=1', { status, headers, body, ...reply })

  check({})
  const { balance: _, ...rest } = body.account
  const unlike = /GET \/v1\/account\?x=1 answered 200 unlike openapi.json: .*balance/
  assert.throws(() => check({ body: { ...body, account: rest } }), unlike)
  const account = { ...rest, balance: 'much' }
  assert.throws(() => check({ body: { ...body, account } }), unlike)
  assert.throws(() => check({ status: 299 }), /openapi.json declares no answer 299/)
})

test('error replies are checked against the shared schema, and paths with parameters are matched', async (t) => {
  const service = await testService(t)
  const reply = await service.get('/v1/brand/brand_none')
  assert.equal(reply.status, 404)
  const check = (body: object) =>
    checkReply(service, 'GET', '/v1/brand/brand_none', { ...reply, body })

  const whole = { ...reply.body, requestId: 'req_1', help: 'https://longcode.test/docs/errors' }
  check(whole)
  assert.throws(() => check({ ...whole, code: 404 }), /unlike openapi.json: .*code/)
})
