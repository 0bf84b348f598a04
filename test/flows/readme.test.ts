// Does what README.md tells a newcomer to type: each body works without a warning, and the reader ends with a
// message.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { addInventory } from '../fixtures.js'
import { eventually, type Json, testService } from '../harness.js'

const README = readFileSync('README.md', 'utf8')

/** The body that README posts to the path, with the shell's variables filled in. */
function bodyOf(path: string, variables: Record<string, string> = {}): Json {
  const start = README.indexOf(`${path} -d '`)
  assert.notEqual(start, -1, `README posts nothing to ${path}`)
  const text = /-d '(\{.*?\})'\n/s.exec(README.slice(start))![1]!
  return JSON.parse(text.replaceAll(/'\$(\w+)'/g, (_, name: string) => variables[name]!))
}

test('the first message of README is sent without a warning on the way', async (t) => {
  const service = await testService(t, { roles: ['schedule', 'dispatch'] })
  const post = async (path: string, body: Json) => {
    const reply = await service.post(path, body)
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`)
    assert.deepEqual(reply.body.warnings ?? [], [], path)
    return reply.body
  }
  const { brand } = await post('/v1/brand/create', bodyOf('/v1/brand/create'))
  const wanted = bodyOf('/v1/campaign/create', { BRAND: brand.id })
  assert.deepEqual((await post('/v1/campaign/check', wanted)).warnings, [])
  const { campaign } = await post('/v1/campaign/create', wanted)
  await eventually(async () => {
    const { body } = await service.get(`/v1/campaign/${campaign.id}`)
    return body.campaign.status === 'ACTIVE'
  }, 'the approval')

  const number = '+14152004000'
  await addInventory(service, [number])
  const known = { BRAND: brand.id, CAMPAIGN: campaign.id, NUMBER: number }
  await post(`/v1/campaign/${campaign.id}/number/buy`, bodyOf('/number/buy', known))
  const { id } = await post('/v1/message/send', bodyOf('/v1/message/send', known))
  await eventually(async () => {
    const { body } = await service.get(`/v1/message/${id}`)
    return body.message.status === 'DELIVERED'
  }, 'the delivery')
  await post('/sandbox/inbound', bodyOf('/sandbox/inbound', known))
})
