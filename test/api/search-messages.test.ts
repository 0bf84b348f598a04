// GET /v1/message/search: messages of all campaigns, with filters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../src/kit/contract/schema.js'
import {
  EVERY_MESSAGE,
  type SearchFilter,
  searchMessages,
} from '../../src/messages/reads/search-queries.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import { ATT, idOf, type Sending, sendingService, TMO, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/search'

/** A second campaign of the account, with a number. */
async function secondCampaign({ service }: Sending): Promise<{ campaign: string; from: string }> {
  const { campaignId: campaign } = await activeCampaign(service)
  return { campaign, from: await buyNumber(service, campaign) }
}

const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)

async function search({ service }: Sending, query: string, token?: string): Promise<string[]> {
  const { status, body } = await service.get(`${URL}?${query}`, token ? { token } : {})
  assert.equal(status, 200, JSON.stringify(body))
  return idsOf(body.messages)
}

/** Reads all pages. `between` runs after each. */
async function walk({ service }: Sending, query: string, between?: () => Promise<unknown>) {
  const walked: string[] = []
  for (let after = ''; ; ) {
    const { status, body } = await service.get(`${URL}?${query}${after}`)
    assert.equal(status, 200, JSON.stringify(body))
    walked.push(...idsOf(body.messages))
    assert.equal(body.hasMore, body.next !== null)
    if (!body.hasMore) return walked
    after = `&after=${body.next}`
    await between?.()
  }
}

test('a search returns the messages of all campaigns, newest first, as retrieval shows them', async (t) => {
  const sending = await sendingService(t)
  const { service, send, message } = sending
  const empty = await service.get(URL)
  assert.deepEqual(empty.body, { messages: [], hasMore: false, next: null })

  const second = await secondCampaign(sending)
  const ids: string[] = []
  for (let i = 0; i < 6; i += 1) ids.unshift(await send(), await send(second))
  ids.sort().reverse()
  const { body } = await service.get(URL)
  assert.deepEqual(idsOf(body.messages), ids.slice(0, 10))
  assert.deepEqual([body.hasMore, body.next], [true, ids[9]])
  assert.deepEqual(body.messages[1], await message(ids[1]!))
})

test('a search filters by campaign, direction, number, status, error code, and time', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, number, send, inbound, advance, message } = sending
  const second = await secondCampaign(sending)
  const inAnHour = () => new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const first = await send({ to: VZW })
  const answer = idOf(await inbound(VZW, 'Thanks'))
  const other = await send({ ...second, to: VZW })
  await advance(3600)
  const canceled = await send({ ...second, to: ATT, scheduledAt: inAnHour() })
  assert.equal((await service.call('DELETE', `/v1/message/${canceled}`)).status, 200)
  const later = await send({ to: ATT, scheduledAt: inAnHour() })
  const question = idOf(await inbound(TMO, 'Are you open?', { to: second.from }))
  const find = (query: string) => search(sending, query)

  assert.deepEqual(await find(`campaign=${campaignId}`), [later, answer, first])
  assert.deepEqual(await find(`campaign=${second.campaign}`), [question, canceled, other])
  assert.deepEqual(await find('direction=INBOUND'), [question, answer])
  assert.deepEqual(await find('direction=OUTBOUND'), [later, canceled, other, first])
  for (const spelling of [encodeURIComponent(VZW), VZW.slice(1), VZW]) {
    assert.deepEqual(await find(`number=${spelling}`), [other, answer, first], spelling)
  }
  const vzw = `number=${VZW.slice(1)}`
  assert.deepEqual(await find(`${vzw}&campaign=${campaignId}`), [answer, first])
  assert.deepEqual(await find(`${vzw}&direction=INBOUND`), [answer])
  assert.deepEqual(await find(`${vzw}&status=QUEUED&limit=1`), [other])
  assert.deepEqual(await find(`number=${number.slice(1)}`), [later, answer, first])
  assert.deepEqual(await find(`number=${number.slice(1)}&campaign=${second.campaign}`), [])
  assert.deepEqual(await find(`number=${second.from.slice(1)}`), [question, canceled, other])
  assert.deepEqual(await find('number=14155550199'), [])
  assert.deepEqual(await find('status=SCHEDULED'), [later])
  assert.deepEqual(await find('status=QUEUED'), [other, first])
  assert.deepEqual(await find('errorCode=1410'), [canceled])
  assert.deepEqual(await find('errorCode=1350'), [])
  assert.deepEqual(await find(`errorCode=1410&status=FAILED&campaign=${campaignId}`), [])

  const since = encodeURIComponent((await message(canceled)).createdAt)
  assert.deepEqual(await find(`since=${since}`), [question, later, canceled], 'at or after')
  assert.deepEqual(await find(`until=${since}`), [other, answer, first], 'before')
  assert.deepEqual(await find(`${vzw}&until=${since}&after=${other}`), [answer, first])
  assert.deepEqual(await find(`since=${since}&status=QUEUED`), [])
  assert.deepEqual(await find('until=1960-01-01T00:00:00Z'), [])
})

test('a search filters by text, price, metadata, and batch, alone and together', async (t) => {
  const sending = await sendingService(t)
  const { send, inbound } = sending
  const metadata = { order: '1042', 'a:b': 'c', note: '' }
  const sale = await send({ body: '50% off_all shoes \\o/ today', metadata })
  const long = await send({
    body: 'Shoes! '.repeat(40),
    metadata: { order: '1043', batch: 'fall' },
  })
  const answer = idOf(await inbound(VZW, 'Which SHOES?'))
  const other = await send({ body: 'Crème brûlée', metadata: { batch: 'fall', order: '1042' } })
  const find = (query: Record<string, string>) =>
    search(sending, new URLSearchParams(query).toString())

  assert.deepEqual(await find({ text: 'shoes' }), [answer, long, sale])
  assert.deepEqual(await find({ text: 'shoes', direction: 'OUTBOUND' }), [long, sale])
  for (const text of ['%', '50% OFF_', '\\o/', '\\']) {
    assert.deepEqual(await find({ text }), [sale], text)
  }
  for (const text of ['_x', '0%s', "'; drop table messages", 'shoes  today']) {
    assert.deepEqual(await find({ text }), [], text)
  }
  assert.deepEqual(await find({ text: 'brûlée' }), [other])
  assert.deepEqual(await find({ metadata: 'order:1042' }), [other, sale])
  assert.deepEqual(await find({ metadata: 'order:104' }), [])
  assert.deepEqual(await find({ metadata: 'note:' }), [sale])
  assert.deepEqual(await find({ metadata: '__proto__:x' }), [])
  assert.deepEqual(await find({ text: ' ', batch: '' }), [other, answer, long, sale])
  assert.deepEqual(await find({ batch: 'fall' }), [other, long])
  assert.deepEqual(await find({ batch: 'fall', metadata: 'order:1042' }), [other])
  assert.deepEqual(await find({ batch: 'fall', text: 'shoes', number: VZW }), [long])
  assert.deepEqual(await find({ priceMin: '0.008' }), [long])
  const later = new Date(sending.service.world.clock.nowMs() + 3_600_000).toISOString()
  const canceled = await send({ body: 'Never mind', scheduledAt: later })
  assert.equal((await sending.service.call('DELETE', `/v1/message/${canceled}`)).status, 200)
  assert.deepEqual(await find({ priceMax: '0', text: 'never' }), [canceled], 'it is refunded')
  assert.deepEqual(await find({ priceMin: '0.0001', text: 'never' }), [])
  assert.deepEqual(await find({ priceMax: '0' }), [canceled, answer])
  assert.deepEqual(await find({ priceMin: '0.0079', priceMax: '0.0079' }), [other, sale])
  assert.deepEqual(await find({ priceMax: '0.0079', text: 'shoes' }), [answer, sale])
  assert.deepEqual(await find({ text: 'shoes', limit: '1', after: long }), [sale])
})

test('a search refuses filters that no message can match', async (t) => {
  const sending = await sendingService(t)
  for (const [query, problem] of [
    [`text=${'x'.repeat(101)}`, 'text must be a text of at most 100 characters'],
    ['text=a%00b', 'text must not contain the character NUL'],
    ['priceMin=cheap', 'priceMin must be an amount in dollars from 0 to 1000'],
    ['priceMax=-1', 'priceMax must be an amount in dollars from 0 to 1000'],
    ['priceMin=2&priceMax=1', 'priceMin must not be more than priceMax'],
    [
      'metadata=order',
      'metadata must be a key and a value with a colon between them, for example order:1042',
    ],
    [
      'metadata=:value',
      'metadata must be a key and a value with a colon between them, for example order:1042',
    ],
    [`batch=${'x'.repeat(513)}`, 'batch must be a text of at most 512 characters'],
  ] as const) {
    assert.deepEqual(told(await sending.service.get(`${URL}?${query}`)), [400, problem], query)
  }
})

test('a message between two numbers of the account is found once, by either number', async (t) => {
  const sending = await sendingService(t)
  const { send, number } = sending
  const { campaign, from } = await secondCampaign(sending)
  const between = await send({ from: number, to: from })
  const back = await send({ campaign, from, to: number })
  const toItself = await send({ from: number, to: number })
  assert.deepEqual(await search(sending, `number=${number.slice(1)}`), [toItself, back, between])
  assert.deepEqual(await search(sending, `number=${from.slice(1)}`), [back, between])
})

test('pages return every message once, whatever arrives in the meantime', async (t) => {
  const sending = await sendingService(t)
  const { send, inbound } = sending
  const second = await secondCampaign(sending)
  const ids: string[] = []
  for (let i = 0; i < 4; i += 1) {
    ids.unshift(await send(), idOf(await inbound(VZW, 'And you?')), await send(second))
  }
  ids.sort().reverse()
  const both = () => Promise.all([send(), send(second)])
  assert.deepEqual(await walk(sending, 'limit=5', both), ids)
  const seen = ids.concat(await search(sending, 'limit=1000')).sort()
  const all = [...new Set(seen)].reverse()
  const received = await search(sending, 'direction=INBOUND')
  assert.deepEqual(await walk(sending, 'limit=1'), all)
  assert.deepEqual(await walk(sending, `limit=3&number=${VZW.slice(1)}`), all)
  assert.deepEqual(await walk(sending, 'limit=1&direction=INBOUND'), received)
  assert.deepEqual(await walk(sending, `limit=${all.length}`), all)
})

test('a search scans a limited number of messages per page, returns where it stopped, and misses none', async (t) => {
  const sending = await sendingService(t)
  const { service, send, inbound } = sending
  const second = await secondCampaign(sending)
  const rare: string[] = []
  for (let i = 0; i < 3; i += 1) {
    for (let j = 0; j < 4; j += 1) await send(j % 2 ? {} : second)
    rare.unshift(idOf(await inbound(VZW, 'Hello?')))
  }
  const { world, accountId } = service
  const find = (filter: Partial<SearchFilter>, page: Page, reach: number) =>
    searchMessages(world.db, accountId, { ...EVERY_MESSAGE, ...filter }, page, reach)
  const walkBy = async (filter: Partial<SearchFilter>, limit: number, reach: number) => {
    const pages: string[][] = []
    for (let after: string | null = null; pages.length < 40; ) {
      const found = await find(filter, { limit, skip: 0, after }, reach)
      pages.push(idsOf(found.messages))
      if (found.next === null) return pages
      after = found.next
    }
    throw new Error('the walk does not end')
  }
  for (const filter of [{}, { phone: VZW }, { phone: VZW, campaignId: sending.campaignId }]) {
    for (const limit of [1, 2, 3, 5]) {
      for (const reach of [limit + 1, limit + 2, 7]) {
        const pages = await walkBy({ ...filter, direction: 'INBOUND' }, limit, reach)
        const where = JSON.stringify({ filter, limit, reach, pages })
        assert.deepEqual(pages.flat(), rare, where)
        assert.ok(
          pages.every((page) => page.length <= limit),
          where,
        )
      }
    }
  }
  for (const filter of [{}, { phone: VZW }]) {
    for (const [skip, reach, ids] of [
      [0, 15, rare],
      [1, 15, rare.slice(1)],
      [2, 9, rare.slice(2)],
      [2, 8, []],
      [3, 15, []],
    ] as const) {
      const page = { limit: 3, skip, after: null }
      const { messages, next } = await find({ ...filter, direction: 'INBOUND' }, page, reach)
      assert.deepEqual(idsOf(messages), ids, JSON.stringify({ filter, skip, reach }))
      assert.equal(next === null, reach === 15 && skip > 0, 'the scan reached the end')
    }
  }
  const empty = await walkBy({ status: 'READ' }, 2, 5)
  assert.deepEqual(empty, [[], [], [], []], '15 messages, five at a time, and then the end')
  assert.deepEqual(await walkBy({ errorCode: 1350, phone: '+14155550199' }, 2, 5), [[]])
})

test('two accounts with the same recipients see only their own messages', async (t) => {
  const sending = await sendingService(t)
  const { service, number, send } = sending
  const other = await service.otherAccount()
  const { token } = other
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  const from = await buyNumber(service, foreign.campaignId, { token })
  const body = { campaign: foreign.campaignId, from, body: 'Hello' }
  const sendOther = async (to: string) =>
    idOf(await service.post('/v1/message/send', { ...body, to }, { token }))
  const mine = [await send({ to: VZW }), await send({ to: from })].reverse()
  const theirs = [await sendOther(VZW), await sendOther(number)].reverse()

  assert.deepEqual(await search(sending, ''), mine)
  assert.deepEqual(await search(sending, '', token), theirs)
  assert.deepEqual(await search(sending, `number=${VZW.slice(1)}`), [mine[1]])
  assert.deepEqual(await search(sending, `number=${VZW.slice(1)}`, token), [theirs[1]])
  assert.deepEqual(await search(sending, `number=${from.slice(1)}`), [mine[0]])
  assert.deepEqual(await search(sending, `number=${number.slice(1)}`, token), [theirs[0]])
  assert.deepEqual(await search(sending, 'status=QUEUED', token), theirs)
  assert.deepEqual(await search(sending, `after=${theirs[0]}`), mine, 'the id only marks a time')

  const unknown = ['x', '', 'cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId]
  for (const campaign of unknown) {
    const reply = await service.get(`${URL}?campaign=${campaign}`)
    assert.equal(reply.status, 404, campaign)
    assert.deepEqual(reply.body, {
      messages: null,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('an invalid filter or page is refused by name', async (t) => {
  const { service } = await sendingService(t)
  const code = 'errorCode must be a message error code, for example 1350'
  const after = 'after must be next of the previous page'
  const time = 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z'
  for (const [query, error] of [
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
    ['after=x', after],
    ['after=cmp_01km3v9w8m0000pqv3t5x7z9bd', after],
    ['after=', after],
    ['errorCode=x', code],
    ['errorCode=0', code],
    ['errorCode=13.5', code],
    ['errorCode=99999999999', code],
    ['direction=inbound', 'direction must be one of INBOUND, OUTBOUND'],
    ['number=415', 'number must be a phone number in E.164 format, for example +14155550123'],
    ['since=yesterday', `since ${time}`],
    ['until=2026-12-31T23:59:60Z', `until ${time}`],
    ['campaign=%00', 'campaign must not contain the character NUL'],
  ]) {
    const reply = await service.get(`${URL}?${query}`)
    assert.deepEqual(told(reply), [400, error], query)
    assert.equal(reply.body.messages, null)
  }
  const status = await service.get(`${URL}?status=LOST`)
  assert.match(status.body.error, /^status must be one of CREATED, SCHEDULED, QUEUED,/)
  const skip = await service.get(`${URL}?skip=10`)
  assert.match(skip.body.warnings.join(), /skip.*after/, 'only after selects the next page')
})

test('a search requires the read scope', async (t) => {
  const service = await testService(t)
  const failure = { messages: null }
  await assertFailureShapes(service, { method: 'GET', url: URL, failure, scope: 'read' })
})
