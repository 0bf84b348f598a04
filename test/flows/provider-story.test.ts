// The whole process with just an account at a provider: a brand is registered, its campaign is returned with notes,
// corrected, and approved, a number is ordered and bound, a text leaves and its receipt arrives, a phone replies
// with a picture, and its STOP takes effect once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../harness.js'
import { fileOf } from '../media-server.js'
import { registeringService } from '../providers/registering.js'
import { VZW } from '../sending.js'

const NUMBER = '+14152000001'

test('one provider covers everything from brand registration to an opt-out', async (t) => {
  const story = await registeringService(t, { forSale: [NUMBER] })
  const { service, fake, submitBrand, submitCampaign, until } = story
  const { registry, numbers } = fake

  // The brand is registered when the registry confirms it.
  registry.brandsAre = { status: 'REGISTRATION_PENDING' }
  const brandId = await submitBrand()
  await eventually(async () => registry.brands.size === 1, 'handed in')
  Object.assign(registry.brand, { status: 'OK', identityStatus: 'VERIFIED' })
  assert.equal(await fake.notifyRegistration('brand', registry.brand.brandId), 200)
  await until('brand', brandId, 'VERIFIED')

  // The campaign is returned once, with a note at its field, and corrected without a second fee.
  const before = await service.balance()
  registry.campaignsAre = { campaignStatus: 'TCR_ACCEPTED' }
  const campaignId = await submitCampaign(brandId)
  await eventually(async () => registry.campaigns.size === 1, 'handed in')
  const there = registry.campaign
  there.campaignStatus = 'TELNYX_FAILED'
  there.failureReasons = 'The message flow does not say where people opt in.'
  await fake.notifyRegistration('campaign', there.campaignId)
  const returned = await until('campaign', campaignId, 'DRAFT')
  assert.deepEqual(returned.reviewNotes, [
    { field: 'consentFlow', note: 'The message flow does not say where people opt in.' },
  ])
  const consentFlow = 'Guests tick “Text me” on the form at https://bluefern.example/book.'
  await service.call('PATCH', `/v1/campaign/${campaignId}`, { consentFlow })
  assert.equal((await service.post(`/v1/campaign/${campaignId}/submit`)).status, 200)
  await eventually(async () => registry.appeals.length === 1, 'reviewed again')
  assert.equal(there.messageFlow, consentFlow)
  registry.networks.set(there.campaignId, { '10035': { brandDailyCap: 40_000 } })
  there.campaignStatus = 'MNO_PROVISIONED'
  await fake.notifyRegistration('campaign', there.campaignId)
  const approved = await until('campaign', campaignId, 'ACTIVE')
  assert.deepEqual([approved.reviewNotes, approved.limits.dailyTmoCap], [[], 40_000])
  assert.equal(await service.balance(), before - 20)
  assert.deepEqual([registry.brands.size, registry.campaigns.size], [1, 1])

  // The number is ordered and bound. Messages from it wait until the networks know it.
  registry.assignmentsAre = 'PENDING_ASSIGNMENT'
  const bought = await service.post(`/v1/campaign/${campaignId}/number/buy`, { number: NUMBER })
  assert.equal(bought.body.number.status, 'PENDING')
  const body = 'Your table is ready.'
  const sent = await service.post('/v1/message/send', { campaign: campaignId, to: VZW, body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const assigned = await eventually(async () => registry.assignments.get(NUMBER) ?? false)
  assert.equal(assigned.campaignId, there.campaignId)
  assert.deepEqual(fake.taken, [], 'nothing leaves before that')
  assigned.assignmentStatus = 'ASSIGNED'
  const message = async (id: string) => (await service.get(`/v1/message/${id}`)).body.message
  await eventually(async () => (await message(sent.body.id)).status === 'DELIVERED', 'its receipt')
  assert.deepEqual(
    fake.taken.map(({ from, to, text }) => [from, to, text]),
    [[NUMBER, VZW, body]],
  )
  assert.deepEqual([...numbers.profiles.values()].length, 1)

  // A phone replies with a picture, which is fetched and stored.
  const picture = fileOf('image/png', 64)
  fake.files.set('/media/1', (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' })
    response.end(picture)
  })
  const reply = { from: VZW, to: NUMBER, text: 'Here we are' }
  assert.ok(await fake.write({ ...reply, mediaUrls: [`${fake.url}/media/1`] }))
  const inbound = await eventually(async () => {
    const query = `campaign=${campaignId}&direction=INBOUND`
    const { messages } = (await service.get(`/v1/message/list?${query}`)).body
    return messages[0]?.mediaUrls.length === 1 && messages[0]
  }, 'the picture is here')
  assert.deepEqual([inbound.type, inbound.body], ['MMS', 'Here we are'])

  // STOP takes effect once, however often it is reported, and the provider has already replied to it.
  const stop = fake.inboundCall({ from: VZW, to: NUMBER, text: 'STOP' })
  assert.deepEqual([await fake.deliver(stop), await fake.deliver(stop)], [200, 200])
  const optouts = async () =>
    (await service.get(`/v1/campaign/${campaignId}/optouts`)).body.optouts as unknown[]
  await eventually(async () => (await optouts()).length === 1, 'opted out')
  const again = await service.post('/v1/message/send', { campaign: campaignId, to: VZW, body })
  assert.equal(again.body.code, 'recipient_opted_out')
  assert.equal(fake.taken.length, 1, 'no second reply to the STOP')
})
