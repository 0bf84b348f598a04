// Every kind of token has its own rate limit: a client that sends too many requests is refused, and one with another
// token is not. A new way to authenticate needs a line in CLIENTS.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import inject from 'light-my-request'
import { boundCustomer, plain, smppToken } from '../bound-customer.js'
import { type CallOptions, listenerOf, testService } from '../harness.js'
import { browser, cookiesOf, OPERATOR_TOKEN, operatorWith, personWith } from '../people-fixtures.js'
import { type Sending, sendingService, VZW } from '../sending.js'

const BURST = 100
const SMPP_BURST = 8

/** A request. Returns whether the rate limit refused it. */
type Client = () => Promise<boolean>

const isLimited = ({ status }: { status: number }) => status === 429

/** A signed-in session with this token. */
async function sessionOf({ service }: Sending, token: string) {
  const reply = await browser(service)('POST', '/console/session', { token })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return browser(service, cookiesOf(reply))
}

/** Two clients of each kind. Both have the same account, or the same installation. */
async function clientsOf(sending: Sending): Promise<Record<string, Client[]>> {
  const { service, number } = sending
  const read =
    (options: CallOptions, url = '/v1/account'): Client =>
    async () =>
      isLimited(await service.get(url, options))
  const send =
    (options: CallOptions): Client =>
    async () =>
      isLimited(await sending.trySend({}, options))
  const tokens = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => service.tokenWith(['read', 'send', 'manage'])))
  const operators = async () => {
    const options = { token: OPERATOR_TOKEN }
    const { body } = await service.post('/operator/v1/token/create', { name: 'ops' }, options)
    return body.operatorToken as string
  }
  const [one, two, three, four, five, six] = await tokens(6)
  const signedIn = [await sessionOf(sending, five!), await sessionOf(sending, six!)]
  const people = [await personWith(service, 'agent'), await personWith(service, 'developer')]
  const staff = [await operatorWith(service, 'operator'), await operatorWith(service, 'support')]
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  const twilio: Client = async () => {
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
    const response = await inject(listenerOf(service), {
      method: 'POST',
      url: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ From: number, To: VZW, Body: 'Hello' }).toString(),
    })
    return response.statusCode === 429
  }
  const operatorList = '/operator/v1/account/list'
  return {
    'access tokens': [read({ token: one! }), read({ token: two! })],
    'access tokens that send': [send({ token: three! }), send({ token: four! })],
    'Twilio credentials': [twilio, send({ token: await service.tokenWith(['send']) })],
    'sessions of a token': signedIn.map(
      (request) => async () => isLimited(await request('GET', '/v1/account')),
    ),
    'people of an account': people.map(
      ({ request }) =>
        async () =>
          isLimited(await request('GET', '/v1/account')),
    ),
    'operator tokens': [
      read({ token: OPERATOR_TOKEN }, operatorList),
      read({ token: await operators() }, operatorList),
    ],
    'people of the installation': staff.map(
      ({ request }) =>
        async () =>
          isLimited(await request('GET', operatorList)),
    ),
  }
}

test('every kind of token has its own rate limit', async (t) => {
  const sending = await sendingService(t, {
    balance: '100',
    env: {
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      LONGCODE_RATE_LIMIT: '1',
      LONGCODE_RATE_BURST: String(BURST),
    },
  })
  const clients = await clientsOf(sending)
  const now = performance.now() + 200_000 // buckets are full, and stay as they are
  t.mock.method(performance, 'now', () => now)
  for (const [kind, [flooding, quiet]] of Object.entries(clients)) {
    let answered = 0
    while (answered <= 2 * BURST && !(await flooding!())) answered += 1
    assert.equal(answered, BURST, `${kind}: the burst is answered, and the next is refused`)
    assert.equal(await quiet!(), false, `${kind}: another one is answered`)
  }
})

test('the SMPP binds of an account share one rate, whatever their tokens', async (t) => {
  const { service, number } = await sendingService(t, {
    roles: ['api', 'dispatch'],
    env: { LONGCODE_SMPP_PORT: '0', LONGCODE_SMPP_RATE: String(SMPP_BURST / 2) },
  })
  const [one, two] = [
    await boundCustomer(t, service, await smppToken(service)),
    await boundCustomer(t, service, await smppToken(service)),
  ]
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const submit = async (customer: typeof one) =>
    (await customer.submit(plain(number, VZW, 'Hello'))).status
  for (let i = 0; i < SMPP_BURST; i += 1) {
    assert.equal(await submit(i % 2 === 0 ? one : two), 'ESME_ROK')
  }
  for (const customer of [one, two]) assert.equal(await submit(customer), 'ESME_RTHROTTLED')
})

test('valid tokens are not counted as guesses', async (t) => {
  const service = await testService(t, {
    env: { LONGCODE_MODE: 'production', DATABASE_URL: 'postgres://unused@localhost/unused' },
  })
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const tokens = await Promise.all(Array.from({ length: 210 }, () => service.tokenWith(['read'])))
  for (const token of tokens) {
    assert.equal((await service.get('/v1/account', { token })).status, 200)
  }
  const { status } = await service.get('/v1/account', { token: 'lc_guess' })
  assert.equal(status, 401, 'not limited yet')
})
