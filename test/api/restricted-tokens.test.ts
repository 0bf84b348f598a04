// Tokens restricted to campaigns. One test covers every operation of openapi.json, so a new operation that ignores
// the restriction fails here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerRoutes, type Route } from '../every-route.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { openStream } from '../flows/event-stream.js'
import { happen } from '../flows/webhook-receiver.js'
import { eventually, type Json, type Reply, type TestService, testService } from '../harness.js'
import { createRecords, type Records, type ValidRequest, validRequest } from './valid-requests.js'

/** Operations on the whole account: refused, whatever the scopes of the token. */
const ACCOUNT_WIDE = [
  'PATCH /v1/account',
  'GET /v1/account/ledger',
  'GET /v1/account/activity',
  'GET /v1/account/usage',
  'GET /v1/account/balances',
  'GET /v1/account/statement/{month}',
  'POST /v1/token/create',
  'GET /v1/token/list',
  'DELETE /v1/token/{id}',
  'GET /v1/account/twilio',
  'POST /v1/account/twilio',
  'DELETE /v1/account/twilio',
  'GET /console/people',
  'GET /console/people/invitation',
  'POST /console/people/invitation',
  'DELETE /console/people/invitation/{id}',
  'PATCH /console/people/{id}',
  'DELETE /console/people/{id}',
  'POST /v1/brand/create',
  'POST /v1/brand/draft',
  'GET /v1/brand/list',
  'GET /v1/brand/{id}',
  'PATCH /v1/brand/{id}',
  'POST /v1/brand/{id}/submit',
  'POST /v1/campaign/create',
  'POST /v1/campaign/check',
  'POST /v1/campaign/draft',
  'GET /v1/contact/list',
  'GET /v1/contact/{number}',
  'PUT /v1/contact/{number}',
  'DELETE /v1/contact/{number}',
  'GET /v1/saved-reply/list',
  'POST /v1/saved-reply/create',
  'PATCH /v1/saved-reply/{id}',
  'DELETE /v1/saved-reply/{id}',
  'POST /v1/export/create',
  'GET /v1/export/list',
  'GET /v1/export/{id}',
  'DELETE /v1/export/{id}',
  'GET /v1/alert/list',
  'GET /v1/alert/settings',
  'PUT /v1/alert/settings',
  'POST /sandbox/inbound',
  'GET /sandbox/handset/{number}',
  'GET /sandbox/handset',
  'POST /sandbox/clock/advance',
  'POST /sandbox/call',
]

/** Their valid request creates a new campaign, which the token does not include. */
const NEW_CAMPAIGN = [
  'POST /v1/campaign/{id}/submit',
  'POST /v1/campaign/{id}/end',
  'POST /v1/campaign/{id}/webhooks',
]

const nameOf = ({ method, path }: Route) => `${method} ${path}`

async function restrictedTo(service: TestService, campaigns: string[], more: Json = {}) {
  const { status, body } = await service.post('/v1/token/create', { campaigns, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  return { token: body.accessToken as string, record: body.token }
}

async function callWith(
  service: TestService,
  token: string,
  route: Route,
  { path, query, body }: ValidRequest,
): Promise<Reply> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return service.call(route.method, `${path}?${search}`, body, { token })
}

/** With none of the optional fields, and with all of them. */
const INPUTS = [0, 0xffff].map((bits) => ({ text: 'Hi', bits }))

function assertNothingOf(other: Records, { body }: Reply, where: string): void {
  const { tokenId: _, ...secrets } = other
  const text = JSON.stringify(body)
  for (const [what, secret] of Object.entries(secrets)) {
    assert.ok(!text.includes(secret), `${where} shows the ${what} of another campaign: ${text}`)
  }
}

test('no operation shows or changes another campaign’s records to a restricted token', async (t) => {
  const service = await testService(t, { balance: '100000' })
  const own = await createRecords(service)
  const other = await createRecords(service)
  const { token } = await restrictedTo(service, [own.campaignId])
  const before = await snapshot(service, other)
  await addInventory(service, ['+14152000777'])
  const routes = customerRoutes(service).filter(({ path }) => !path.endsWith('/stream'))
  for (const route of routes) {
    const name = nameOf(route)
    for (const input of INPUTS) {
      const request = await validRequest(service, route, other, input)
      const reply = await callWith(service, token, route, request)
      assertNothingOf(other, reply, name)
      assert.equal(reply.body.code === 'token_restricted', ACCOUNT_WIDE.includes(name), name)
      assert.ok(
        [200, 400, 403, 404, 409].includes(reply.status),
        `${name} answered ${reply.status}`,
      )
      const asked = JSON.stringify(request)
      const isAboutOther = Object.values(other).some((id) => asked.includes(id.replace('+', '')))
      if (isAboutOther && !/batch|preview/.test(name)) assert.notEqual(reply.status, 200, name)
      if (name === 'POST /v1/message/batch') {
        assert.ok(reply.body.results.every((one: Json) => one.success === false))
      }
      const mine = await validRequest(service, route, own, input)
      const ours = await callWith(service, token, route, mine)
      assertNothingOf(other, ours, name)
      if (ACCOUNT_WIDE.includes(name)) assert.equal(ours.status, 403, name)
      else if (NEW_CAMPAIGN.includes(name)) assert.equal(ours.status, 404, name)
      else assert.equal(ours.status, 200, `${name}: ${JSON.stringify(ours.body)}`)
    }
  }
  const names = routes.map(nameOf)
  for (const name of [...ACCOUNT_WIDE, ...NEW_CAMPAIGN]) assert.ok(names.includes(name), name)
  assert.deepEqual(await snapshot(service, other), before)
})

/** Everything that could have been changed. The test buys numbers, which a webhook for all numbers would list. */
async function snapshot(
  service: TestService,
  { campaignId, number, webhookId, messageId }: Records,
) {
  const urls = [
    `/v1/campaign/${campaignId}`,
    `/v1/number/${number.slice(1)}`,
    `/v1/webhook/${webhookId}`,
    `/v1/message/${messageId}`,
  ]
  const bodies = await Promise.all(urls.map(async (url) => (await service.get(url)).body))
  for (const { webhook } of bodies) if (webhook) delete webhook.numbers
  return bodies
}

test('lists show only the token’s campaigns, and searches require one of them if it has several', async (t) => {
  const service = await testService(t, { balance: '100000' })
  const [a, b, c] = [
    await createRecords(service),
    await createRecords(service),
    await createRecords(service),
  ]
  const { token, record } = await restrictedTo(service, [a.campaignId, b.campaignId])
  assert.deepEqual(record.campaigns, [a.campaignId, b.campaignId])
  const read = async (url: string) => (await service.get(url, { token })).body
  const ids = (list: { id: string }[]) => list.map(({ id }) => id).sort()
  assert.deepEqual(
    ids((await read('/v1/campaign/list')).campaigns),
    [a.campaignId, b.campaignId].sort(),
  )
  assert.deepEqual(
    ids((await read('/v1/webhook/list')).webhooks),
    [a.webhookId, b.webhookId].sort(),
  )
  const numbers = (await read('/v1/number/list')).numbers as { phoneNumber: string }[]
  assert.deepEqual(numbers.map((one) => one.phoneNumber).sort(), [a.number, b.number].sort())
  const problem = 'is required, because this access token is restricted to several campaigns'
  for (const url of ['/v1/message/search', '/v1/conversation/list', '/v1/stats/messages']) {
    assert.equal((await read(url)).error, `campaign ${problem}`)
    const { status } = await service.get(`${url}?campaign=${b.campaignId}`, { token })
    assert.equal(status, 200, url)
    const foreign = await service.get(`${url}?campaign=${c.campaignId}`, { token })
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'campaign_missing'])
  }
})

test('a restricted token sends only from its campaigns, even if only the number identifies the campaign', async (t) => {
  const service = await testService(t, { balance: '100000' })
  const [own, other] = [await createRecords(service), await createRecords(service)]
  const { token } = await restrictedTo(service, [own.campaignId])
  const message = { to: '+14155550107', body: 'Hello' }
  const key = { 'idempotency-key': 'k1' }
  const body = { ...message, from: other.number }
  const sent = await service.post('/v1/message/send', body, { headers: key })
  assert.equal(sent.status, 200)
  for (const path of ['/v1/message/send', '/v1/message/send/']) {
    const send = (input: Json, headers = {}) => service.post(path, input, { token, headers })
    assert.equal((await send({ ...message, from: own.number })).status, 200)
    assert.equal((await send({ ...message, from: other.number })).body.code, 'campaign_missing')
    const named = await send({ ...message, campaign: other.campaignId })
    assert.equal(named.body.code, 'campaign_missing')
    const replayed = await send(body, key)
    assert.notEqual(replayed.status, 200, 'another token’s reply is not replayed')
  }
})

test('a restricted token buys numbers for its campaigns and cannot see who holds a number', async (t) => {
  const service = await testService(t, { balance: '100000' })
  const [own, other] = [await activeCampaign(service), await activeCampaign(service)]
  const taken = await buyNumber(service, other.campaignId)
  await addInventory(service, ['+14152000777'])
  const { token } = await restrictedTo(service, [own.campaignId])
  const buy = (campaign: string, number: string) =>
    service.post('/v1/number/buy', { campaign, number }, { token })
  assert.equal((await buy(other.campaignId, '+14152000777')).body.code, 'campaign_missing')
  assert.equal((await buy(own.campaignId, taken)).body.code, 'number_taken')
  assert.equal((await buy(own.campaignId, '+14152000777')).status, 200)
})

test('an SMPP token with one campaign is restricted to it over HTTP too', async (t) => {
  const service = await testService(t, { balance: '100000' })
  const [own, other] = [await createRecords(service), await createRecords(service)]
  for (const smpp of [{ campaign: own.campaignId }, { number: own.number }]) {
    const { body } = await service.post('/v1/token/create', { smpp })
    assert.deepEqual(body.token.campaigns, [own.campaignId])
    const options = { token: body.accessToken }
    assert.equal((await service.get(`/v1/campaign/${own.campaignId}`, options)).status, 200)
    assert.equal((await service.get(`/v1/campaign/${other.campaignId}`, options)).status, 404)
  }
  const { body } = await service.post('/v1/token/create', { smpp: {}, campaigns: [own.campaignId] })
  assert.equal(body.token.smpp.campaign, own.campaignId, 'and the reverse')
  const whole = await service.post('/v1/token/create', { smpp: {} })
  assert.equal(whole.body.token.campaigns, null)
  const both = [own.campaignId, other.campaignId]
  for (const input of [
    { smpp: {}, campaigns: both },
    { smpp: { campaign: own.campaignId }, campaigns: [other.campaignId] },
  ]) {
    const refused = await service.post('/v1/token/create', input)
    assert.equal(refused.status, 400)
    assert.match(refused.body.error, /^campaigns must be the campaign in smpp/)
  }
})

test('a token can be restricted only to campaigns of its account', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const { token } = await service.otherAccount()
  const missing = `Campaign not found: ${campaignId}`
  const foreign = await service.post('/v1/token/create', { campaigns: [campaignId] }, { token })
  assert.deepEqual([foreign.status, foreign.body.error], [404, missing])
  for (const campaigns of [[], [campaignId, campaignId], 'all']) {
    assert.equal((await service.post('/v1/token/create', { campaigns })).status, 400)
  }
})

test('the event stream of a restricted token has only events of its campaigns', async (t) => {
  const service = await testService(t)
  const [own, other] = [await activeCampaign(service), await activeCampaign(service)]
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { token } = await restrictedTo(service, [own.campaignId], { scopes: ['read'] })
  const stream = await openStream(t, service, base, { token })
  await happen(service, { campaignId: other.campaignId })
  await happen(service, { campaignId: null })
  const id = await happen(service, { campaignId: own.campaignId })
  await eventually(async () => stream.events.length > 0, 'the event of the token’s campaign')
  assert.deepEqual(
    stream.events.map((event) => event.id),
    [id],
  )
  const resumed = await openStream(t, service, base, { token, lastEventId: 'evt_0' })
  assert.equal(resumed.status, 400)
  assert.ok(stream.states.every(({ event }) => event !== 'balance.changed'))
})
