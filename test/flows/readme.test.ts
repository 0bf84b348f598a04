// Does what README.md tells a newcomer to type: each body works without a warning, and the reader ends with a
// message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInventory } from '../fixtures.js'
import { eventually, type Json, testService } from '../harness.js'
import { readmeBody } from '../readme-bodies.js'

test('the first message of README is sent without a warning on the way', async (t) => {
  const service = await testService(t, { roles: ['schedule', 'dispatch'] })
  const post = async (path: string, body: Json) => {
    const reply = await service.post(path, body)
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`)
    assert.deepEqual(reply.body.warnings ?? [], [], path)
    return reply.body
  }
  const { brand } = await post('/v1/brand/create', readmeBody('/v1/brand/create'))
  const wanted = readmeBody('/v1/campaign/create', { BRAND: brand.id })
  assert.deepEqual((await post('/v1/campaign/check', wanted)).warnings, [])
  const { campaign } = await post('/v1/campaign/create', wanted)
  await eventually(async () => {
    const { body } = await service.get(`/v1/campaign/${campaign.id}`)
    return body.campaign.status === 'ACTIVE'
  }, 'the approval')

  const number = '+14152004000'
  await addInventory(service, [number])
  const known = { BRAND: brand.id, CAMPAIGN: campaign.id, NUMBER: number }
  await post(`/v1/campaign/${campaign.id}/number/buy`, readmeBody('/number/buy', known))
  const { id } = await post('/v1/message/send', readmeBody('/v1/message/send', known))
  await eventually(async () => {
    const { body } = await service.get(`/v1/message/${id}`)
    return body.message.status === 'DELIVERED'
  }, 'the delivery')
  await post('/sandbox/inbound', readmeBody('/sandbox/inbound', known))
})
