// GET /v1/conversation/list: the recipients of a campaign, latest message first, with their opt-outs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLastMessages } from '../../src/messages/reads/conversation-queries.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import { ATT, idOf, type Sending, sendingService, TMO, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/conversation/list'

interface Conversation {
  campaignId: string
  recipient: string
  number: string
  lastMessage: { id: string }
}

async function secondCampaign({ service }: Sending): Promise<{ campaign: string; from: string }> {
  const { campaignId: campaign } = await activeCampaign(service)
  return { campaign, from: await buyNumber(service, campaign) }
}

async function list({ service }: Sending, query = '', token?: string): Promise<Conversation[]> {
  const { status, body } = await service.get(`${URL}?${query}`, token ? { token } : {})
  assert.equal(status, 200, JSON.stringify(body))
  return body.conversations
}

const lastOf = (conversations: readonly Conversation[]) =>
  conversations.map(({ lastMessage }) => lastMessage.id)

test('a conversation is a campaign and a recipient, with the last message in either direction', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, number, send, inbound, message } = sending
  const empty = await service.get(URL)
  assert.deepEqual(empty.body, { conversations: [], hasMore: false, next: null })

  const { campaign, from } = await secondCampaign(sending)
  await send({ to: VZW })
  const reminder = await send({ to: ATT })
  const elsewhere = await send({ campaign, to: VZW })
  const answer = idOf(await inbound(VZW, 'Thanks'))
  const { body } = await service.get(URL)
  assert.deepEqual(body, {
    conversations: [
      {
        campaignId,
        recipient: VZW,
        number,
        lastMessage: await message(answer),
        optout: null,
      },
      {
        campaignId: campaign,
        recipient: VZW,
        number: from,
        lastMessage: await message(elsewhere),
        optout: null,
      },
      {
        campaignId,
        recipient: ATT,
        number,
        lastMessage: await message(reminder),
        optout: null,
      },
    ],
    hasMore: false,
    next: null,
  })
})

test('a conversation shows an opt-out from its own campaign only', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, send, inbound } = sending
  const { campaign } = await secondCampaign(sending)
  for (const to of [VZW, ATT, TMO]) await send({ to })
  await send({ campaign, to: VZW })
  await inbound(VZW, 'STOP')
  const url = `/v1/campaign/${campaignId}/optouts`
  await service.call('PUT', `${url}/${ATT.slice(1)}`, { reason: 'Requested by phone' })
  const { optouts } = (await service.get(url)).body
  assert.equal(optouts.length, 2)

  const { conversations } = (await service.get(URL)).body
  const found = conversations.map((c: Conversation & { optout: { recipient: string } | null }) => [
    c.campaignId,
    c.recipient,
    c.optout,
  ])
  const optoutOf = (phone: string) =>
    optouts.find(({ recipient }: { recipient: string }) => recipient === phone)
  assert.deepEqual(found, [
    [campaignId, VZW, optoutOf(VZW)],
    [campaign, VZW, null],
    [campaignId, TMO, null],
    [campaignId, ATT, optoutOf(ATT)],
  ])
  await inbound(VZW, 'START')
  const [first] = (await service.get(URL)).body.conversations
  assert.deepEqual([first.recipient, first.optout], [VZW, null])
})

test('conversations can be filtered by campaign and by number', async (t) => {
  const sending = await sendingService(t)
  const { campaignId, number, send } = sending
  const { service } = sending
  const second = await secondCampaign(sending)
  const spare = await buyNumber(service, campaignId)
  await send({ to: VZW, from: number })
  const viaSpare = await send({ to: VZW, from: spare })
  const toAtt = await send({ to: ATT, from: number })
  const elsewhere = await send({ ...second, to: VZW })
  const ask = async (query: string) => lastOf(await list(sending, query))

  assert.deepEqual(await ask(`campaign=${campaignId}`), [toAtt, viaSpare])
  assert.deepEqual(await ask(`campaign=${second.campaign}`), [elsewhere])
  for (const spelling of [encodeURIComponent(VZW), VZW.slice(1), VZW]) {
    assert.deepEqual(await ask(`number=${spelling}`), [elsewhere, viaSpare], spelling)
  }
  assert.deepEqual(await ask(`number=${VZW}&campaign=${campaignId}`), [viaSpare])
  assert.deepEqual(await ask(`number=${VZW}&after=${elsewhere}`), [viaSpare])
  assert.deepEqual(
    await ask(`number=${VZW}&after=${viaSpare}`),
    [],
    'an older message is not the last one',
  )
  assert.deepEqual(await ask(`number=${spare}`), [viaSpare])
  assert.deepEqual(await ask(`number=${number}`), [toAtt], 'the account’s number as last used')
  assert.deepEqual(await ask('number=14155550199'), [])
  assert.deepEqual(await ask(`number=${second.from}&campaign=${campaignId}`), [])
})

test('pages cover every conversation once, and a conversation with a new message moves to the front', async (t) => {
  const sending = await sendingService(t)
  const { service, send, inbound } = sending
  const second = await secondCampaign(sending)
  const phones = Array.from({ length: 7 }, (_, i) => `+141555501${10 + i}`)
  for (const to of phones) await send({ to })
  for (const to of phones.slice(0, 3)) await send({ ...second, to })
  for (const from of phones.slice(2, 5)) await inbound(from, 'Thanks')
  const all = await list(sending, 'limit=1000')
  assert.equal(all.length, 10)
  const pairs = new Set(all.map(({ campaignId, recipient }) => `${campaignId} ${recipient}`))
  assert.equal(pairs.size, 10)
  assert.deepEqual(lastOf(all), lastOf(all).toSorted().reverse())

  for (const limit of [1, 3, 10]) {
    const walked: string[] = []
    for (let after = ''; ; ) {
      const { body } = await service.get(`${URL}?limit=${limit}${after}`)
      walked.push(...lastOf(body.conversations))
      assert.equal(body.hasMore, body.next !== null)
      if (!body.hasMore) break
      after = `&after=${body.next}`
    }
    assert.deepEqual(walked, lastOf(all), `by ${limit}`)
  }

  const first = await service.get(`${URL}?limit=4`)
  const awake = all[8]!
  const ping = { campaign: awake.campaignId, from: awake.number, to: awake.recipient }
  const woken = await send(ping)
  const rest = await list(sending, `limit=10&after=${first.body.next}`)
  const expected = all.slice(4).filter((conversation) => conversation !== awake)
  assert.deepEqual(lastOf(rest), lastOf(expected))
  assert.equal(lastOf(await list(sending, 'limit=1'))[0], woken)
})

test('a list scans a limited number of messages per page, returns where it stopped, and skips nobody', async (t) => {
  const sending = await sendingService(t)
  const { service, number, send } = sending
  const second = await secondCampaign(sending)
  await send({ to: ATT })
  await send({ ...second, to: VZW })
  await send({ to: TMO })
  for (let i = 0; i < 9; i += 1) await send({ to: VZW }) // one busy conversation
  const all = lastOf(await list(sending))
  assert.equal(all.length, 4)
  const { db } = service.world
  const walk = async (phone: string | null, limit: number, reach: number) => {
    const pages: string[][] = []
    for (let after: string | null = null; pages.length < 40; ) {
      const filter = { campaignId: null, phone }
      const page = { limit, after }
      const found = await listLastMessages(db, service.accountId, filter, page, reach)
      pages.push(found.messages.map(({ id }) => id))
      if (found.next === null) return pages
      after = found.next
    }
    throw new Error('the walk does not end')
  }
  const ours = all.filter((_, i) => i !== 2)
  for (const limit of [1, 2, 4]) {
    for (const reach of [limit + 1, limit + 2, 7]) {
      const where = `by ${limit}, ${reach} looked at`
      assert.deepEqual((await walk(null, limit, reach)).flat(), all, where)
      assert.deepEqual((await walk(number, limit, reach)).flat(), ours, where)
    }
  }
  assert.deepEqual(await walk(null, 3, 4), [[all[0]], [], [all[1], all[2], all[3]], []])
  assert.deepEqual(await walk(VZW, 2, 3), [[all[0], all[2]]], 'a recipient is looked up directly')
})

test('two accounts with the same recipients see only their own conversations', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, number, send, inbound } = sending
  const other = await service.otherAccount()
  const { token } = other
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  const from = await buyNumber(service, foreign.campaignId, { token })
  const hello = { campaign: foreign.campaignId, from, body: 'Hello' }
  const sendOther = async (to: string) =>
    idOf(await service.post('/v1/message/send', { ...hello, to }, { token }))
  const mine = await send({ to: VZW })
  const theirs = [await sendOther(VZW), await sendOther(number)].reverse()

  assert.deepEqual(lastOf(await list(sending)), [mine])
  assert.deepEqual(lastOf(await list(sending, '', token)), theirs)
  assert.deepEqual(lastOf(await list(sending, `number=${VZW}`)), [mine])
  assert.deepEqual(lastOf(await list(sending, `number=${VZW}`, token)), [theirs[1]])
  assert.deepEqual(lastOf(await list(sending, `number=${number}`, token)), [theirs[0]])
  await inbound(VZW, 'STOP')
  const { conversations } = (await service.get(URL, { token })).body
  assert.deepEqual([conversations[1].recipient, conversations[1].optout], [VZW, null])
  assert.equal((await list(sending))[0]!.campaignId, campaignId)

  for (const campaign of ['x', '', 'cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId]) {
    const reply = await service.get(`${URL}?campaign=${campaign}`)
    assert.equal(reply.status, 404, campaign)
    assert.deepEqual(reply.body, {
      conversations: [],
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('an invalid filter or page is refused by name', async (t) => {
  const { service } = await sendingService(t)
  for (const [query, error] of [
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['after=x', 'after must be next of the previous page'],
    ['after=cmp_01km3v9w8m0000pqv3t5x7z9bd', 'after must be next of the previous page'],
    ['number=415', 'number must be a phone number in E.164 format, for example +14155550123'],
    ['campaign=%00', 'campaign must not contain the character NUL'],
  ]) {
    const reply = await service.get(`${URL}?${query}`)
    assert.deepEqual(told(reply), [400, error], query)
    assert.deepEqual(reply.body.conversations, [])
  }
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  const failure = { conversations: [] }
  await assertFailureShapes(service, { method: 'GET', url: URL, failure, scope: 'read' })
})
