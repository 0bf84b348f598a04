// Which of a campaign's numbers a message is sent from.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { ATT, sendingService, VZW } from '../sending.js'

test('a recipient gets the number they last exchanged messages with, others get the default', async (t) => {
  const { service, campaignId, number, send, message, advance } = await sendingService(t)
  const second = await buyNumber(service, campaignId)
  const from = async (input = {}) => (await message(await send(input))).from
  await advance(2) // campaign data is cached for a second
  assert.equal(await from({ to: VZW }), number)
  assert.equal(await from({ to: VZW, from: second }), second)
  assert.equal(await from({ to: VZW }), second)
  assert.equal(await from({ to: ATT }), number)

  await service.post('/sandbox/inbound', { from: ATT, to: second, body: 'Hi' })
  assert.equal(await from({ to: ATT }), second, 'also when the recipient chose it')
})

test('a new default is used, and a released number is not', async (t) => {
  const { service, campaignId, number, send, message, advance } = await sendingService(t)
  const second = await buyNumber(service, campaignId)
  const from = async (input = {}) => (await message(await send(input))).from
  assert.equal(await from({ to: VZW, from: number }), number)
  await service.post(`/v1/number/${second.slice(1)}/default`)
  await advance(2)
  assert.equal(await from({ to: ATT }), second)
  assert.equal(await from({ to: VZW }), number)
  assert.equal((await service.call('DELETE', `/v1/number/${number.slice(1)}`)).status, 200)
  await advance(2)
  assert.equal(await from({ to: VZW }), second)
})

test('a number bought this second can be named, and other campaigns’ conversations do not count', async (t) => {
  const { service, campaignId, number, send, message } = await sendingService(t)
  await send()
  const second = await buyNumber(service, campaignId)
  assert.equal((await message(await send({ from: second }))).from, second)

  const other = await activeCampaign(service)
  const theirs = await buyNumber(service, other.campaignId)
  await send({ campaign: other.campaignId, to: ATT, from: theirs })
  assert.equal((await message(await send({ to: ATT }))).from, number)
})
