// GET /v1/message/list: pages, filters, and refusals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { changesStorage, type TestService, testService } from '../harness.js'
import { ATT, idOf, type Sending, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/list'

async function listIds(service: TestService, query: string): Promise<string[]> {
  const { status, body } = await service.get(`${URL}?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.messages.map((message: { id: string }) => message.id)
}

async function sendMany({ send }: Sending, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push(await send({ body: `Number ${i}` }))
  return ids.reverse() // newest first
}

test('a list has the ten newest messages of the campaign, as retrieval shows them', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, message } = sending
  const empty = await service.get(`${URL}?campaign=${campaignId}`)
  assert.deepEqual(empty.body, { messages: [], hasMore: false })

  const ids = await sendMany(sending, 12)
  const { status, body } = await service.get(`${URL}?campaign=${campaignId}`)
  assert.equal(status, 200)
  assert.equal(body.hasMore, true)
  assert.deepEqual(
    body.messages.map((m: { id: string }) => m.id),
    ids.slice(0, 10),
  )
  assert.deepEqual(body.messages[0], await message(ids[0]!))
})

test('pages by skip and by after return every message once', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId: campaign } = sending
  const ids = await sendMany(sending, 7)
  assert.deepEqual(await listIds(service, `campaign=${campaign}&limit=3&skip=2`), ids.slice(2, 5))
  assert.deepEqual(await listIds(service, `campaign=${campaign}&skip=7`), [])
  assert.deepEqual(await listIds(service, `campaign=${campaign}&limit=1000`), ids)

  const walked: string[] = []
  for (let hasMore = true; hasMore; ) {
    const after = walked.length > 0 ? `&after=${walked.at(-1)}` : ''
    const { body } = await service.get(`${URL}?campaign=${campaign}&limit=3${after}`)
    walked.push(...body.messages.map((m: { id: string }) => m.id))
    hasMore = body.hasMore
    await sending.send() // new messages do not affect later pages
  }
  assert.deepEqual(walked, ids)
  assert.deepEqual(
    await listIds(service, `campaign=${campaign}&after=${ids[1]}&skip=1&limit=2`),
    ids.slice(3, 5),
  )
  const full = await service.get(`${URL}?campaign=${campaign}&limit=10`)
  assert.equal(full.body.hasMore, false, 'hasMore is false on the last page')
})

test('messages can be filtered by direction, number, status, and time', async (t) => {
  const { service, campaignId, send, inbound, number, advance, message } = await sendingService(t)
  const first = await send({ to: VZW })
  const answer = idOf(await inbound(VZW, 'Thanks'))
  await advance(3600)
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const later = await send({ to: ATT, scheduledAt })
  const question = idOf(await inbound(ATT, 'Are you open?'))
  const list = (query: string) => listIds(service, `campaign=${campaignId}&${query}`)

  assert.deepEqual(await list('direction=OUTBOUND'), [later, first])
  assert.deepEqual(await list('direction=INBOUND'), [question, answer])
  const plus = encodeURIComponent(VZW)
  for (const spelling of [plus, VZW.slice(1), VZW]) {
    assert.deepEqual(await list(`number=${spelling}`), [answer, first], spelling)
  }
  assert.deepEqual(await list(`number=${plus}&direction=INBOUND`), [answer])
  const ours = encodeURIComponent(number)
  assert.deepEqual(await list(`number=${ours}`), [question, later, answer, first])
  assert.deepEqual(await list(`number=${ours}&skip=1&limit=2`), [later, answer])
  assert.deepEqual(await list('number=%2B14155550199'), [])
  assert.deepEqual(await list('status=SCHEDULED'), [later])
  assert.deepEqual(await list('status=DELIVERED'), [question, answer])
  assert.deepEqual(await list('status=DELIVERED&skip=1'), [answer])
  assert.deepEqual(await list(`status=DELIVERED&number=${plus}`), [answer])
  assert.deepEqual(await list(`status=QUEUED&number=${plus}&direction=INBOUND`), [])
  assert.deepEqual(await list(`status=QUEUED&number=${ours}&direction=OUTBOUND`), [first])

  const { createdAt } = await message(later)
  const since = encodeURIComponent(createdAt)
  assert.deepEqual(await list(`since=${since}`), [question, later], 'at or after')
  assert.deepEqual(await list(`until=${since}`), [answer, first], 'before')
  assert.deepEqual(await list(`until=${since}&after=${answer}`), [first])
  assert.deepEqual(await list('since=1960-01-01T00:00:00Z&status=SCHEDULED'), [later])
  assert.deepEqual(await list('until=1960-01-01T00:00:00Z'), [])
})

test('a search for a rare status scans 10,000 messages per page and continues on the next', async (t) => {
  const { service, campaignId: campaign, send } = await sendingService(t)
  changesStorage(service.world)
  const rare = await send()
  const idAt = (i: number) => `msg_7${String(i).padStart(25, '0')}`
  await service.world.db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at)
    select ${service.accountId}, 'msg_7' || lpad(i::text, 25, '0'), ${campaign}, 'SMS', 'OUTBOUND',
      '+14152000001', '+14155550123', 'open', 'Hello', 1, 7900, 'DELIVERED', now()
    from generate_series(1, 10005) i`)
  const page = async (query: string) => {
    const { body } = await service.get(`${URL}?campaign=${campaign}&${query}`)
    return { ...body, messages: body.messages.map((m: { id: string }) => m.id) }
  }
  const stopped = { messages: [], hasMore: true, next: idAt(6) }
  assert.deepEqual(await page('status=QUEUED'), stopped, 'the reply shows where the scan stopped')
  const end = { messages: [rare], hasMore: false, next: null }
  assert.deepEqual(await page(`status=QUEUED&after=${stopped.next}`), end)
  assert.deepEqual(await page('status=QUEUED&skip=1'), { ...stopped, next: idAt(5) })
  assert.deepEqual(await page('status=DELIVERED&skip=10000&limit=2'), {
    messages: [idAt(5), idAt(4)],
    hasMore: true,
    next: idAt(4),
  })
  assert.deepEqual(await page(`status=DELIVERED&after=${idAt(4)}`), {
    messages: [idAt(3), idAt(2), idAt(1)],
    hasMore: false,
    next: null,
  })
})

test('a message between two numbers of the account is listed once under either number', async (t) => {
  const { service, campaignId, send, number } = await sendingService(t)
  const second = await buyNumber(service, campaignId)
  const between = await send({ from: number, to: second })
  const toItself = await send({ from: number, to: number })
  const list = (phone: string) =>
    listIds(service, `campaign=${campaignId}&number=${encodeURIComponent(phone)}`)
  assert.deepEqual(await list(number), [toItself, between])
  assert.deepEqual(await list(second), [between])
})

test('a list without a campaign, or of an unknown one, includes messages: null', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const query of ['', '?campaign=', '?limit=5']) {
    const { status, body } = await service.get(`${URL}${query}`)
    assert.equal(status, 400)
    assert.deepEqual(body, {
      messages: null,
      error: 'campaign is required',
      code: 'field_invalid',
      details: [{ field: 'campaign', problem: 'is required' }],
    })
  }
  const unknown = ['x', 'cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId, 'x'.repeat(300)]
  for (const campaign of [...unknown, '%F0%9F%93%9E']) {
    const { status, body } = await service.get(`${URL}?campaign=${campaign}`)
    assert.equal(status, 404, campaign)
    assert.deepEqual(body, {
      messages: null,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
  assert.equal((await service.get(`${URL}?campaign=${campaignId}`)).status, 200)
})

test('an invalid filter or page is refused by name', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const limit = 'limit must be a whole number from 1 to 1000'
  const skip = 'skip must be a whole number, 0 or more'
  const tooFar =
    'skip must be at most 10000: for more, use after with the last record of the previous page'
  const time = 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z'
  for (const [query, error] of [
    ['limit=-1', limit],
    ['limit=0', limit],
    ['limit=1001', limit],
    ['limit=abc', limit],
    ['limit=1.5', limit],
    ['limit=', limit],
    ['limit=5&limit=6', limit],
    ['skip=-1', skip],
    ['skip=x', skip],
    ['skip=10001', tooFar],
    ['skip=99999999999', tooFar],
    ['skip=10001.5', skip],
    ['after=x', 'after must be the ID of the last record of the previous page'],
    ['direction=UP', 'direction must be one of INBOUND, OUTBOUND'],
    ['direction=inbound', 'direction must be one of INBOUND, OUTBOUND'],
    ['number=415', 'number must be a phone number in E.164 format, for example +14155550123'],
    ['since=yesterday', `since ${time}`],
    ['until=2026-12-31T23:59:60Z', `until ${time}`],
  ]) {
    const reply = await service.get(`${URL}?campaign=${campaignId}&${query}`)
    assert.deepEqual(told(reply), [400, error], query)
    assert.equal(reply.body.messages, null)
  }
  const furthest = await service.get(`${URL}?campaign=${campaignId}&skip=10000`)
  assert.deepEqual(furthest.body, { messages: [], hasMore: false })
  const status = await service.get(`${URL}?campaign=${campaignId}&status=LOST`)
  assert.match(status.body.error, /^status must be one of CREATED, SCHEDULED, QUEUED,/)
  const nul = await service.get(`${URL}?campaign=%00`)
  assert.deepEqual(told(nul), [400, 'campaign must not contain the character NUL'])
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  const failure = { messages: null }
  await assertFailureShapes(service, { method: 'GET', url: URL, failure, scope: 'read' })
})
