// POST /v1/message/send: valid requests that are refused for other reasons.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertDollars, changeCampaign, idOf, sendingService, told, VZW } from '../sending.js'

test('the campaign must exist, be ACTIVE, and have a number', async (t) => {
  const { service, trySend } = await sendingService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, foreign.campaignId, { token: other.token })
  const unknown = ['', 'x', 'cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId, 'é'.repeat(500)]
  for (const campaign of unknown) {
    const reply = await trySend({ campaign })
    assert.equal(reply.status, 404, campaign)
    assert.deepEqual(reply.body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
  assert.deepEqual(told(await trySend({ campaign: 7 })), [400, 'campaign must be a string'])

  const { campaignId: campaign } = await activeCampaign(service)
  const numberless = await trySend({ campaign })
  assert.deepEqual(told(numberless), [
    409,
    'The campaign has no phone number. Buy one before sending.',
  ])
  await buyNumber(service, campaign)
  for (const status of ['DRAFT', 'PENDING', 'SUSPENDED'] as const) {
    await changeCampaign(service, campaign, { status })
    const reply = await trySend({ campaign })
    assert.deepEqual(told(reply), [
      409,
      `The campaign is ${status}. Only an ACTIVE campaign can send messages`,
    ])
    assert.equal(reply.body.code, 'campaign_state')
  }
  await changeCampaign(service, campaign, { status: 'ACTIVE' })
  idOf(await trySend({ campaign }))
  // Right after a send the campaign's numbers are cached, but its status is not.
  await changeCampaign(service, campaign, { status: 'SUSPENDED' })
  assert.deepEqual(told(await trySend({ campaign })), [409, 'The campaign is not ACTIVE'])
})

test('the sender must be a number of the campaign, and identifies the campaign if that is omitted', async (t) => {
  const { service, trySend, message, campaignId, number } = await sendingService(t)
  const second = await activeCampaign(service)
  const otherNumber = await buyNumber(service, second.campaignId)
  const account = await service.otherAccount()
  const third = await activeCampaign(service, { accountId: account.accountId })
  const foreignNumber = await buyNumber(service, third.campaignId, { token: account.token })

  for (const from of [otherNumber, foreignNumber, '+14155550199']) {
    const reply = await trySend({ from })
    assert.equal(reply.status, 400)
    assert.equal(reply.body.code, 'sender_foreign')
  }
  const given = await message(idOf(await trySend({ from: number })))
  assert.deepEqual([given.from, given.campaignId], [number, campaignId])
  const implied = await message(idOf(await trySend({ campaign: undefined, from: otherNumber })))
  assert.deepEqual([implied.from, implied.campaignId], [otherNumber, second.campaignId])

  for (const from of [foreignNumber, '+14155550199']) {
    const reply = await trySend({ campaign: undefined, from })
    assert.deepEqual(told(reply), [404, 'Campaign not found'])
  }
  assert.deepEqual(told(await trySend({ campaign: undefined })), [
    400,
    'campaign is required unless from is one of your numbers',
  ])
})

test('a recipient who opted out of the campaign receives no messages', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t)
  const before = await service.balance()
  const path = `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`
  assert.equal((await service.call('PUT', path, { reason: 'Requested by phone' })).status, 200)
  const reply = await trySend()
  assert.equal(reply.status, 422)
  assert.deepEqual(reply.body, {
    success: false,
    error: 'Recipient has opted out',
    code: 'recipient_opted_out',
  })
  assertDollars(await service.balance(), before)
  const list = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.deepEqual(list.body.messages, [])

  idOf(await trySend({ to: '+14155550108' }))
  const second = await activeCampaign(service)
  await buyNumber(service, second.campaignId)
  idOf(await trySend({ campaign: second.campaignId }))
})

test('a message the balance does not cover is refused, and nothing is stored or charged', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t, { balance: '1.0237' })
  const list = () => service.get(`/v1/message/list?campaign=${campaignId}&limit=1000`)
  assertDollars(await service.balance(), 0.0237) // $1 paid for the number: three messages are left
  const dear = await trySend({ body: 'x'.repeat(500) })
  assert.equal(dear.status, 402)
  assert.deepEqual(dear.body, {
    success: false,
    error: 'Insufficient account balance',
    code: 'balance_insufficient',
  })
  assert.deepEqual((await list()).body.messages, [])
  assertDollars(await service.balance(), 0.0237)

  // Sent concurrently: exactly the messages the balance covers succeed.
  const replies = await Promise.all(Array.from({ length: 8 }, () => trySend()))
  assert.deepEqual(
    replies.map(({ status }) => status).sort(),
    [200, 200, 200, 402, 402, 402, 402, 402],
  )
  assert.equal((await list()).body.messages.length, 3)
  assertDollars(await service.balance(), 0)
})

test('an opted-out recipient does not use up a low balance needed for other messages', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t, { balance: '1.0158' })
  const path = `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`
  await service.call('PUT', path, { reason: 'Requested by phone' })
  await trySend({ campaign: 'cmp_none' }) // from here on, concurrent sends share a batch
  const recipients = [VZW, '+14155550108', '+14155550109', '+14155550117']
  const replies = await Promise.all(recipients.map((to) => trySend({ to })))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [422, 200, 200, 402],
  )
})
