// Every error reply links to the page that explains its code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import { errorsPage } from '../../src/http/reference/error-page.js'
import { REFUSALS } from '../../src/kit/contract/refusal.js'
import { MESSAGE_ERRORS } from '../../src/messages/message-errors.js'
import { listenerOf, readReply, testService } from '../harness.js'

test('an error reply links to the explanation of its code, including on the fast path', async (t) => {
  const service = await testService(t, { env: { LONGCODE_PUBLIC_URL: 'https://sms.example/' } })
  const page = (await service.app.inject({ url: '/docs/errors' })).body
  const headers = { authorization: `Bearer ${service.token}` }
  for (const [method, url, code] of [
    ['POST', '/v1/message/send', 'field_invalid'],
    ['POST', '/v1/message/send/', 'field_invalid'],
    ['GET', '/v1/brand/brd_x', 'brand_missing'],
    ['GET', '/v1/nothing', 'path_unknown'],
    ['PUT', '/v1/message/send', 'method_unknown'],
    ['GET', '/v1/brand/%zz', 'path_malformed'],
  ] as const) {
    const request = { method, url, headers, ...(method === 'POST' && { payload: {} }) }
    const { body } = readReply(await inject(listenerOf(service), request))
    assert.equal(body.help, `https://sms.example/docs/errors#${code}`, url)
    assert.ok(page.includes(`id="${code}"`))
  }
})

test('the error page explains every code and whether the message is charged', async (t) => {
  const service = await testService(t)
  const reply = await service.app.inject({ url: '/docs/errors' })
  assert.equal(reply.statusCode, 200)
  assert.match(String(reply.headers['content-type']), /^text\/html/)
  for (const page of [reply.body, errorsPage()]) {
    for (const code of [...Object.keys(REFUSALS), ...Object.keys(MESSAGE_ERRORS)]) {
      assert.ok(page.includes(` id="${code}">`), code)
    }
  }
  // What is shown if the documentation site is not built.
  const plain = errorsPage()
  assert.doesNotMatch(plain, /<script/)
  assert.match(plain, /1370<\/code><\/a><span>FAILED<\/span><span>Charged: only if accepted/)
  assert.match(plain, /1350<\/code><\/a><span>FAILED<\/span><span>Charged: no/)
})
