// Every secret and seal works where it was made, and nowhere else: another installation refuses it, and so does another
// account of the same installation.

import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import inject from 'light-my-request'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { findTotpStep, makeTotpSecret, totpCode } from '../../src/people/totp.js'
import { signForm } from '../../src/twilio/callbacks/callback-body.js'
import { signStandard } from '../../src/webhooks/deliver/sign-event.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { Customer, smppToken } from '../bound-customer.js'
import { eventually, listenerOf, type TestService, testService } from '../harness.js'
import { browser, personWith } from '../people-fixtures.js'

/** What shows a secret, and whether it was accepted. */
type Shown = (at: TestService) => Promise<boolean>

async function installation(t: TestContext, operatorToken: string): Promise<TestService> {
  return testService(t, {
    roles: ['dispatch'],
    env: {
      LONGCODE_SMPP_PORT: '0',
      LONGCODE_OPERATOR_TOKEN: operatorToken,
      LONGCODE_RATE_LIMIT: '0',
    },
  })
}

/** Every secret that an installation gives out. */
async function secretsOf(t: TestContext, service: TestService): Promise<Record<string, Shown>> {
  const isFound = async (at: TestService, path: string, token: string) =>
    (await at.get(path, { token })).status === 200
  const operator = { token: OPERATOR_TOKEN }
  const issued = await service.post('/operator/v1/token/create', { name: 'ops' }, operator)
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const smpp = await smppToken(service)
  const person = await personWith(service, 'agent')
  const invited = await service.post('/console/people/invitation', {
    ...{ email: 'new@example.com', role: 'agent' },
  })
  const code = invited.body.url.split('#k=')[1]
  const uploaded = await service.call('POST', '/v1/media', Buffer.from('%PDF-1.7'), {
    headers: { 'content-type': 'application/pdf' },
  })
  const media = new URL(uploaded.body.media.url).pathname
  return {
    'an access token': (at) => isFound(at, '/v1/account', service.token),
    'an operator token': (at) =>
      isFound(at, '/operator/v1/account/list', issued.body.operatorToken),
    'the operator token of the settings': (at) =>
      isFound(at, '/operator/v1/health', OPERATOR_TOKEN),
    'a Twilio credential': async (at) => {
      const response = await inject(listenerOf(at), {
        url: `/2010-04-01/Accounts/${accountSid}.json`,
        headers: { authorization: `Basic ${basic}` },
      })
      return response.statusCode === 200
    },
    'an SMPP password': async (at) => {
      const customer = await Customer.connect(at.smppPort!)
      t.after(() => customer.end())
      return (await customer.bind(smpp)) === 'ESME_ROK'
    },
    'a session': async (at) => {
      const reply = await browser(at, person.cookie)('GET', '/console/session')
      return reply.status === 200 && reply.body.user !== null
    },
    'an invitation': async (at) =>
      (await browser(at)('POST', '/console/invitation/show', { code })).status === 200,
    'the URL of a file': async (at) => {
      const response = await inject(listenerOf(at), { url: media })
      return response.statusCode === 200
    },
    'the URL of a file in another account': async (at) => {
      if (at === service) return true
      const url = media.replace(service.accountId, at.accountId)
      return (await inject(listenerOf(at), { url })).statusCode === 200
    },
  }
}

test('a secret of one installation opens nothing at another', async (t) => {
  const own = await installation(t, OPERATOR_TOKEN)
  const other = await installation(t, 'lco_the-token-of-another-installation')
  for (const [name, shown] of Object.entries(await secretsOf(t, own))) {
    assert.equal(await shown(own), true, `${name} is accepted where it was made`)
    assert.equal(await shown(other), false, `${name} is refused elsewhere`)
  }
})

test('an expired token opens nothing: neither requests nor SMPP binds', async (t) => {
  const service = await installation(t, OPERATOR_TOKEN)
  const expiresAt = new Date(service.world.clock.nowMs() + 3_600_000).toISOString()
  const smpp = await smppToken(service, {}, { expiresAt })
  const bind = async () => {
    const customer = await Customer.connect(service.smppPort!)
    t.after(() => customer.end())
    return customer.bind(smpp)
  }
  const unused = await smppToken(service, {}, { expiresAt })
  const read = async ({ accessToken } = smpp) =>
    (await service.get('/v1/message/search', { token: accessToken })).status
  assert.deepEqual([await read(), await bind()], [200, 'ESME_ROK'])
  service.world.clock.moveTo(service.world.clock.offsetMs + 3_601_000)
  assert.equal(await read(unused), 401, 'a token that the process does not know')
  await eventually(async () => (await read()) === 401, 'the end of the token')
  assert.equal(await bind(), 'ESME_RINVPASWD')
})

const NOW = new Date('2027-03-01T12:00:00.000Z')

test('a seal of a callback is valid for one message of one account and one link', () => {
  const message = { accountId: 'acc_1', id: 'msg_1' } as const
  const own = new CallbackAddress('https://sms.test/carrier/one', 'secret of one')
  const path = own.statusOf(message).slice('https://sms.test/carrier/one'.length)
  assert.deepEqual(own.readMessage(path), message)
  const other = new CallbackAddress('https://sms.test/carrier/two', 'secret of two')
  assert.equal(other.readMessage(path), null, 'another link')
  for (const [from, to] of [
    ['acc_1', 'acc_2'],
    ['msg_1', 'msg_2'],
  ] as const) {
    assert.equal(own.readMessage(path.replace(from, to)), null, to)
  }
})

test('a Telnyx callback is genuine for five minutes, with the key of its account', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { privateKey: otherKey } = generateKeyPairSync('ed25519')
  const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const api = createTelnyx({
    ...{ baseUrl: 'https://api.test', key: 'KEY', publicKey: rawKey.toString('base64') },
    ...{ profiles: new Map(), answersKeywords: false },
  })
  const body = Buffer.from('{"data":{}}')
  const isGenuine = async (seconds: number, key = privateKey, sent = body) => {
    const timestamp = String(NOW.getTime() / 1000 + seconds)
    const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body])
    const signature = sign(null, signed, key).toString('base64')
    const headers = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
    const request = { method: 'POST', path: '/', query: {}, headers, body: sent }
    return api.isGenuine(request, { url: 'https://sms.test/carrier/one', now: NOW })
  }
  for (const seconds of [0, -299, 299]) assert.equal(await isGenuine(seconds), true, `${seconds}`)
  for (const seconds of [-301, 301]) assert.equal(await isGenuine(seconds), false, `${seconds}`)
  assert.equal(await isGenuine(0, otherKey), false)
  assert.equal(await isGenuine(0, privateKey, Buffer.from('{"data":[]}')), false)
})

test('a signature depends on the secret and on everything that it covers', () => {
  const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map(
    (bytes) => `whsec_${bytes.toString('base64')}`,
  ) as [string, string]
  const [one, two] = secrets
  const body = '{"id":"evt_1"}'
  const standard = [
    signStandard(one, 'evt_1', 100, body),
    signStandard(two, 'evt_1', 100, body),
    signStandard(one, 'evt_2', 100, body),
    signStandard(one, 'evt_1', 101, body),
    signStandard(one, 'evt_1', 100, '{"id":"evt_2"}'),
  ]
  assert.equal(new Set(standard.map(String)).size, standard.length)
  const forms = [
    signForm('token of one', 'https://app.test/a', 'From=1&To=2'),
    signForm('token of two', 'https://app.test/a', 'From=1&To=2'),
    signForm('token of one', 'https://app.test/b', 'From=1&To=2'),
    signForm('token of one', 'https://app.test/a', 'From=1&To=3'),
  ]
  assert.equal(new Set(forms).size, forms.length)
})

test('a code of an authenticator app works only with its own secret', () => {
  const [own, other] = [makeTotpSecret(), makeTotpSecret()]
  const step = Math.floor(NOW.getTime() / 30_000)
  const code = totpCode(own, step)
  assert.notEqual(findTotpStep(own, code, { now: NOW, after: 0 }), null)
  assert.equal(findTotpStep(other, code, { now: NOW, after: 0 }), null)
})
