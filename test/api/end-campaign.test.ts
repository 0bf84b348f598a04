// GET and POST /v1/campaign/{id}/end: previewing and ending a campaign.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type TestService, testService } from '../harness.js'
import { ATT, SMS_PRICE, sendingService } from '../sending.js'
import { CAMPAIGN_BODY, newBrand, newCampaign } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'
import { operatedService } from './operator-service.js'

const IN_AN_HOUR_MS = 3_600_000

function end(service: TestService, id: unknown, body: Json = {}) {
  return service.post(`/v1/campaign/${id}/end`, { confirm: id, ...body })
}

/** A campaign with one number, one queued message, and one scheduled message. */
async function busy(t: Parameters<typeof sendingService>[0]) {
  const sending = await sendingService(t)
  const { service, send } = sending
  const later = new Date(service.world.clock.now().getTime() + IN_AN_HOUR_MS).toISOString()
  const waiting = [await send({ to: ATT }), await send({ scheduledAt: later })]
  return { ...sending, waiting }
}

test('the preview shows the consequences and changes nothing', async (t) => {
  const { service, campaignId, number } = await busy(t)
  const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
  const before = await service.balance()
  const { status, body } = await service.get(`/v1/campaign/${campaignId}/end`)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    preview: {
      campaignId,
      status: 'ACTIVE',
      moveNumbersTo: null,
      numbers: [number],
      numberCount: 1,
      messagesWaiting: 2,
      hasMoreWaiting: false,
      refund: 2 * SMS_PRICE,
      renewsAt: campaign.renewsAt,
      monthlyCost: 11,
      sentences: [
        'The campaign ends immediately and cannot be restored.',
        '1 number is released and can be bought by others. The price is not refunded.',
        '2 waiting messages are canceled, and $0.0158 is refunded. Messages that the carrier already has are not affected.',
        `The renewal of $11.00 on ${campaign.renewsAt.slice(0, 10)} is not charged. Fees already paid are not refunded.`,
      ],
    },
    ending: null,
  })
  assert.deepEqual((await service.get(`/v1/campaign/${campaignId}`)).body.campaign, campaign)
  assert.equal(await service.balance(), before)
})

test('ending a campaign releases its numbers and cancels and refunds waiting messages', async (t) => {
  const { service, campaignId, number, waiting, message, trySend } = await busy(t)
  const before = await service.balance()
  const { status, body } = await end(service, campaignId)
  assert.equal(status, 200, JSON.stringify(body))
  const { campaign, ending } = body
  assert.equal(campaign.status, 'ENDED')
  assert.equal(campaign.renewsAt, null)
  assert.equal(campaign.endedAt, ending.endedAt)
  assert.deepEqual(ending, {
    endedAt: ending.endedAt,
    moveNumbersTo: null,
    numbersReleased: 1,
    numbersMoved: 0,
    messagesCancelled: 2,
    refunded: 2 * SMS_PRICE,
    isFinished: true,
    sentences: [
      'The campaign has ended. It sends no messages, and nothing more is charged for it.',
      '1 number was released. 2 messages were canceled, and $0.0158 was refunded.',
    ],
  })
  for (const id of waiting) {
    const { status, errorCode, errorMessage } = await message(id)
    assert.deepEqual(
      [status, errorCode, errorMessage],
      ['FAILED', 1410, 'The message was canceled: its campaign has ended'],
    )
  }
  assert.equal(await service.balance(), Number((before + 2 * SMS_PRICE).toFixed(6)))
  assert.equal((await service.get(`/v1/number/${number.slice(1)}`)).status, 404)
  const found = await service.get(`/v1/number/search?areaCode=${number.slice(2, 5)}`)
  assert.ok(found.body.numbers.some((one: Json) => one.number === number))

  const sent = await trySend()
  assert.equal(sent.status, 409)
  assert.match(sent.body.error, /^The campaign has ended: it can no longer send messages$/)
  const inbound = await service.post('/sandbox/inbound', { from: ATT, to: number, body: 'Hello?' })
  assert.equal(inbound.status, 404)
})

test('ending a campaign can move its numbers and opt-outs to another campaign', async (t) => {
  const { service, campaignId, number, inbound } = await sendingService(t)
  const second = await buyNumber(service, campaignId)
  const target = await activeCampaign(service)
  const before = await service.balance()
  await inbound(ATT, 'STOP')
  const preview = await service.get(
    `/v1/campaign/${campaignId}/end?moveNumbersTo=${target.campaignId}`,
  )
  assert.match(preview.body.preview.sentences[1], /^2 numbers are moved to cmp_/)
  assert.equal(preview.body.preview.monthlyCost, 10)
  const { status, body } = await end(service, campaignId, { moveNumbersTo: target.campaignId })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.ending.numbersMoved, body.ending.numbersReleased], [2, 0])
  assert.equal(await service.balance(), before, 'moving costs nothing')
  const moved = await service.get(`/v1/campaign/${target.campaignId}/numbers`)
  assert.deepEqual(moved.body.numbers.map((one: Json) => one.phoneNumber).toSorted(), [
    number,
    second,
  ])
  assert.equal(moved.body.numbers.filter((one: Json) => one.isDefault).length, 1)
  const again = await service.post('/v1/message/send', {
    campaign: target.campaignId,
    to: ATT,
    from: number,
    body: 'Hello',
  })
  assert.deepEqual([again.status, again.body.code], [422, 'recipient_opted_out'])
  const path = `/v1/campaign/${target.campaignId}/optouts/${ATT.slice(1)}`
  const changes = await service.get(path)
  assert.equal(changes.body.changes[0].source, 'campaign_end')
})

test('ending a campaign again changes nothing and returns the same result', async (t) => {
  const { service, campaignId } = await busy(t)
  const first = await end(service, campaignId)
  const again = await end(service, campaignId)
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, first.body)
  const { body } = await service.get(`/v1/campaign/${campaignId}/end`)
  assert.deepEqual(body, { preview: null, ending: first.body.ending })
  const target = await activeCampaign(service)
  const other = await end(service, campaignId, { moveNumbersTo: target.campaignId })
  assert.equal(other.status, 409)
  assert.equal(other.body.error, 'The campaign has already ended. Its numbers were released')
})

test('ending a DRAFT or PENDING campaign charges and refunds nothing', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const draft = (await service.post('/v1/campaign/draft', { brandId })).body.campaign
  const free = await service.get(`/v1/campaign/${draft.id}/end`)
  assert.equal(
    free.body.preview.sentences.at(-1),
    'Nothing was charged for it, and nothing will be.',
  )
  const pending = await newCampaign(service, { brandId })
  const paid = await service.get(`/v1/campaign/${pending.id}/end`)
  assert.equal(
    paid.body.preview.sentences.at(-1),
    'The creation fee is not refunded, and nothing more is charged.',
  )
  const before = await service.balance()
  for (const { id } of [draft, pending]) {
    const { body } = await end(service, id)
    assert.deepEqual([body.campaign.status, body.ending.isFinished], ['ENDED', true])
  }
  assert.equal(await service.balance(), before)
  const listed = await service.get('/v1/campaign/list?status=ENDED')
  assert.deepEqual(
    listed.body.campaigns.map((one: Json) => one.id),
    [pending.id, draft.id],
  )
  assert.equal((await service.get('/v1/campaign/list')).body.campaigns.length, 2)
})

test('an ended campaign accepts no changes, numbers, webhooks, or operator actions', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await end(service, campaignId)
  const path = `/v1/campaign/${campaignId}`
  const refused = [
    await service.call('PATCH', path, { displayName: 'Another' }),
    await service.post(`${path}/submit`),
    await service.post(`${path}/number/buy`, { number: '+14155550123' }),
    await service.post(`${path}/webhooks`, {
      url: 'https://hook.invalid/',
      eventTypes: ['message.status'],
    }),
    await service.operate('POST', `/campaign/${campaignId}/resume`, { reason: 'Second try' }),
    await service.operate('PUT', `/campaign/${campaignId}/limits`, { smsTpmAtt: 5 }),
  ]
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [409, 'campaign_state'], JSON.stringify(body))
  }
})

test('ending requires confirmation, and numbers can move only to another ACTIVE campaign of the account', async (t) => {
  const service = await testService(t)
  const { campaignId, brandId } = await activeCampaign(service)
  const stranger = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: stranger.accountId })
  const pending = await newCampaign(service, { ...CAMPAIGN_BODY, brandId })
  const none = await service.post(`/v1/campaign/${campaignId}/end`, {})
  assert.equal(
    none.body.error,
    'confirm is required. Repeat the ID of the campaign, because this cannot be undone',
  )
  const wrong = await end(service, campaignId, { confirm: 'yes' })
  assert.equal(wrong.status, 400)
  assert.equal(
    wrong.body.error,
    `confirm must be ${campaignId}, because ending a campaign cannot be undone`,
  )
  for (const moveNumbersTo of [campaignId, foreign.campaignId, 'cmp_1']) {
    const { status, body } = await end(service, campaignId, { moveNumbersTo })
    assert.equal(status, 400)
    assert.match(body.error, /^moveNumbersTo must be the ID of another ACTIVE campaign/)
  }
  const early = await end(service, campaignId, { moveNumbersTo: pending.id })
  assert.deepEqual([early.status, early.body.code], [409, 'campaign_state'])
  assert.equal((await end(service, foreign.campaignId)).status, 404)
  assert.equal((await service.get(`/v1/campaign/${campaignId}`)).body.campaign.status, 'ACTIVE')
})

test('an operator ends a campaign with a reason, which the audit log records', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const body = { confirm: campaignId, reason: 'The customer asked' }
  const reply = await service.operate('POST', `/campaign/${campaignId}/end`, body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  assert.deepEqual([reply.body.campaign.status, reply.body.ending.numbersReleased], ['ENDED', 1])
  await service.operate('POST', `/campaign/${campaignId}/end`, body)
  assert.deepEqual(await service.audit('&act=campaign.end'), [
    {
      act: 'campaign.end',
      accountId: service.accountId,
      subject: campaignId,
      before: { status: 'ACTIVE' },
      after: { status: 'ENDED', moveNumbersTo: null, reason: 'The customer asked' },
    },
  ])
})

test('errors have the shape of their route', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const url = `/v1/campaign/${campaignId}/end`
  await assertFailureShapes(service, {
    method: 'POST',
    url,
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
  await assertFailureShapes(service, {
    method: 'GET',
    url,
    failure: { preview: null, ending: null },
    scope: 'read',
  })
})
