// GET /operator/v1/message/search and /operator/v1/message/{id}: support finds a message of any account. Each look-up
// is in the audit log, and the account reads it at GET /v1/account/activity.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type TestOptions, type TestService, testService } from '../harness.js'
import { OPERATOR_TOKEN } from './operator-service.js'

const ANA = '+14155550101'

async function begin(t: Parameters<typeof testService>[0], env: Record<string, string> = {}) {
  const options: TestOptions = { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env } }
  const service = await testService(t, options)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const send = async (to = ANA, body = 'Hello') =>
    (await service.post('/v1/message/send', { campaign: campaignId, to, body })).body.id as string
  const look = (query: string) =>
    service.call('GET', `/operator/v1/message/${query}`, undefined, { token: OPERATOR_TOKEN })
  return { service, campaignId, number, send, look }
}

const idsOf = (body: Json) => (body.messages as Json[]).map(({ id }) => id)

async function activityOf(service: TestService): Promise<Json[]> {
  const { body } = await service.get('/v1/account/activity')
  return body.activity.filter(({ act }: Json) => act === 'message.lookup')
}

test('a message is found by its ID, by either number, and by account, without its text', async (t) => {
  const { service, number, send, look } = await begin(t)
  const [first, second] = [await send(), await send('+14155550102')]
  const digits = (phone: string) => phone.slice(1)
  assert.deepEqual(idsOf((await look(`search?id=${first}`)).body), [first])
  assert.deepEqual(idsOf((await look(`search?number=${digits(ANA)}`)).body), [first])
  assert.deepEqual(idsOf((await look(`search?number=${digits(number)}`)).body), [second, first])
  const { body } = await look(`search?account=${service.accountId}`)
  assert.deepEqual(idsOf(body), [second, first])
  assert.equal(body.messages[0].accountId, service.accountId)
  assert.equal(body.messages[0].body, null)
})

test('with a reason the text is shown, and a setting hides it for everyone', async (t) => {
  const { send, look } = await begin(t)
  const id = await send()
  const { body } = await look(`search?id=${id}&reason=Ticket%204711`)
  assert.equal(body.messages[0].body, 'Hello')
  const hidden = await begin(t, { LONGCODE_SUPPORT_TEXTS: 'hidden' })
  const other = await hidden.send()
  const { body: without } = await hidden.look(`search?id=${other}&reason=Ticket`)
  assert.equal(without.messages[0].body, null)
})

test('every look-up is in the audit log and visible to the account, and to no other', async (t) => {
  const { service, send, look } = await begin(t)
  const other = await service.otherAccount()
  const id = await send()
  await look(`search?number=${ANA.slice(1)}&reason=Ticket%204711`)
  await look(id)
  const seen = await activityOf(service)
  assert.deepEqual(
    seen.map(({ subject, reason, messages, withText, by }) => [
      ...[subject, reason, messages, withText, by],
    ]),
    [
      [id, null, 1, false, 'operator'],
      [ANA, 'Ticket 4711', 1, true, 'operator'],
    ],
  )
  assert.equal(JSON.stringify(seen).includes('Hello'), false)
  const { body } = await service.call('GET', '/v1/account/activity', undefined, {
    token: other.token,
  })
  assert.deepEqual(
    body.activity.filter(({ act }: Json) => act === 'message.lookup'),
    [],
  )
  const nothing = await look('search?number=14155550199')
  assert.deepEqual(nothing.body, { messages: [], hasMore: false })
  const audit = await service.call('GET', '/operator/v1/audit/list?act=message.lookup', undefined, {
    token: OPERATOR_TOKEN,
  })
  assert.equal(audit.body.acts[0].subject, '+14155550199', 'also a look-up without results')
})

test('a message opens with its timeline, link, and carrier ID', async (t) => {
  const { service, send, look } = await begin(t)
  const id = await send()
  const { db } = service.world
  const entry = `${Date.now()}|sent|via acme 4f2a`
  await db.query({
    name: '',
    text: 'update messages set timeline = timeline || $1::text where id = $2',
    values: [entry, id],
  })
  const { body } = await look(id)
  assert.equal(body.message.id, id)
  assert.equal(body.timeline[0].text, 'Accepted and queued for sending')
  assert.equal(body.timeline.at(-1).text, 'Accepted by the carrier')
  assert.deepEqual(
    body.handovers.map(({ link, carrierIds }: Json) => [link, carrierIds]),
    [['acme', ['4f2a']]],
  )
  const customers = await service.get(`/v1/message/${id}/timeline`)
  assert.equal(JSON.stringify(customers.body).includes('4f2a'), false, 'customers see no routes')
})

test('pages continue after the last ID', async (t) => {
  const { send, look } = await begin(t)
  const ids = [await send(), await send(), await send()].reverse()
  const first = await look(`search?number=${ANA.slice(1)}&limit=2`)
  assert.deepEqual([idsOf(first.body), first.body.hasMore], [ids.slice(0, 2), true])
  const next = await look(`search?number=${ANA.slice(1)}&limit=2&after=${ids[1]}`)
  assert.deepEqual([idsOf(next.body), next.body.hasMore], [ids.slice(2), false])
})

test('a look-up needs something to find, a bounded range, and an operator token', async (t) => {
  const { service, look } = await begin(t)
  const refused = async (query: string) => {
    const { status, body } = await look(query)
    return [status, body.error]
  }
  assert.deepEqual(await refused('search'), [
    400,
    'Give the id of a message, a number, or an account',
  ])
  assert.deepEqual(
    await refused(
      'search?number=14155550101&since=2026-01-01T00:00:00Z&until=2026-03-01T00:00:00Z',
    ),
    [400, 'since must be at most 31 days before until'],
  )
  assert.deepEqual(await refused('search?account=acc_nobody'), [404, 'Account not found'])
  assert.deepEqual(await refused('msg_nobody'), [404, 'Message not found'])
  assert.equal((await refused(`search?id=x&reason=${'x'.repeat(256)}`))[0], 400)
  assert.equal((await refused('search?number=12'))[0], 400)
  const { status } = await service.get('/operator/v1/message/search?id=msg_1')
  assert.equal(status, 401)
})
