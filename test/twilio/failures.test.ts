// Whatever a client sends below /2010-04-01, it gets Twilio's form of an error, and never a failure of the server.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { sidOf } from '../../src/twilio/sids.js'
import { codeOf, twilioStage } from './stage.js'

test('wrong credentials get 20003 on every path', async (t) => {
  const { client, accountSid, base, authToken, service } = await twilioStage(t)
  assert.equal((await client().api.accounts(accountSid).fetch()).friendlyName, 'Test')
  const { messages } = client('6', '0'.repeat(32))
  assert.deepEqual(await codeOf(messages.list()), [20003, 401])
  const other = await service.otherAccount()
  const otherSid = sidOf('AC', other.accountId)
  const get = (path: string, user: string, password: string) =>
    fetch(`${base}/2010-04-01/Accounts/${path}`, {
      headers: { authorization: `Basic ${btoa(`${user}:${password}`)}` },
    })
  for (const [path, user, password] of [
    [`${otherSid}/Messages.json`, accountSid, authToken],
    [`${accountSid}/Messages.json`, otherSid, authToken],
    [`${accountSid}/Messages.json`, accountSid, other.token],
  ] as const) {
    const response = await get(path, user, password)
    assert.equal(response.status, 401)
    assert.match(response.headers.get('www-authenticate')!, /^Basic/)
    const { code, status, more_info: link } = (await response.json()) as Record<string, unknown>
    assert.deepEqual([code, status, typeof link], [20003, 401, 'string'])
  }
  const own = await get(`${accountSid}/Messages.json`, 'SKx', service.token)
  assert.equal(own.status, 200, 'an access token is a password, too')
})

test('a replaced or revoked credential stops working, and the console can show the current one', async (t) => {
  const { service, authToken } = await twilioStage(t)
  const { body } = await service.get('/v1/account/twilio')
  assert.equal(body.twilio.authToken, authToken)
  const replaced = await service.post('/v1/account/twilio')
  assert.notEqual(replaced.body.twilio.authToken, authToken)
  assert.equal(replaced.body.twilio.statusWebhookId, body.twilio.statusWebhookId)
  const tokens = await service.get('/v1/token/list')
  const names = tokens.body.tokens.map(({ name }: { name: string | null }) => name)
  assert.equal(names.filter((name: string) => name === 'Twilio-compatible API').length, 1)
  assert.equal((await service.call('DELETE', '/v1/account/twilio')).status, 200)
  assert.equal((await service.get('/v1/account/twilio')).body.twilio, null)
  assert.equal((await service.call('DELETE', '/v1/account/twilio')).status, 200, 'again')
  const reader = await service.tokenWith(['read', 'send'])
  assert.equal((await service.get('/v1/account/twilio', { token: reader })).status, 403)
})

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PATHS = [
  '',
  '.json',
  '/Messages.json',
  '/Messages',
  '/Messages/SM1.json',
  `/Messages/SM${'f'.repeat(32)}.json`,
  `/Messages/SM${'f'.repeat(32)}/Media.json`,
  `/Messages/SM${'f'.repeat(32)}/Media/ME${'f'.repeat(32)}`,
  '/Messages/%00.json',
  '/Messages/%E0%A4%A.json',
  '/Messages.json?PageSize=x',
  '/Messages.json?PageToken=PAx',
  '/Messages.json?To=%00&DateSent=x',
  '/Messages.json?DateSent%3E=2026-02-31T99:00:00Z',
  '/IncomingPhoneNumbers.json',
  '/IncomingPhoneNumbers/PN1.json',
  `/IncomingPhoneNumbers/PN${'f'.repeat(32)}.json`,
  '/AvailablePhoneNumbers/US/Local.json?AreaCode=1',
  '/AvailablePhoneNumbers/FR/Mobile.json',
  '/Calls.json',
  '/Balance.json',
  `/${'x'.repeat(5000)}`,
]
const BODIES = [
  undefined,
  '',
  '{"To":1}',
  'To=%00',
  'To=%FF%FE&From=%F0&Body=x',
  `To=${'9'.repeat(3000)}&From=+1&Body=x`,
  'To=+14155550107&From=+14152000001&Body=%ED%A0%80',
  'Body=&Status=canceled',
  'Status=nothing',
  'PhoneNumber=x&AreaCode=y&SmsUrl=z',
  'To&To&To=&&&=',
  'a&'.repeat(500),
  'x'.repeat(300_000),
]

test('no request below the path gets another form of error', async (t) => {
  const { base, accountSid, authToken } = await twilioStage(t)
  const authorization = `Basic ${btoa(`${accountSid}:${authToken}`)}`
  for (const path of PATHS) {
    for (const method of METHODS) {
      for (const body of method === 'GET' ? [undefined] : BODIES) {
        const response = await fetch(`${base}/2010-04-01/Accounts/${accountSid}${path}`, {
          method,
          headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
          ...(body !== undefined && { body }),
        })
        const text = await response.text()
        const what = `${method} ${path.slice(0, 80)} ${body?.slice(0, 40)}: ${text.slice(0, 200)}`
        assert.ok(response.status < 500, what)
        if (response.status < 400) continue
        const failed = JSON.parse(text)
        assert.deepEqual(Object.keys(failed), ['code', 'message', 'more_info', 'status'], what)
        assert.equal(failed.status, response.status, what)
        assert.equal(typeof failed.code, 'number', what)
      }
    }
  }
})

test('bytes that are not HTTP get the same form', async (t) => {
  const { base } = await twilioStage(t)
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write('GET /2010-04-01/Accounts/AC1.json HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1.1 400 /)
  assert.deepEqual(Object.keys(JSON.parse(text.split('\r\n\r\n')[1]!)), [
    ...['code', 'message', 'more_info', 'status'],
  ])
})
