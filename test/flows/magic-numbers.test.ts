// What the simulated carrier does by the recipient's last digits, as a customer sees it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'

const PRICE = 0.0079

async function sender(t: Parameters<typeof testService>[0]) {
  const service = await testService(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  return { service, campaignId, before: await service.balance() }
}

async function send(service: TestService, campaign: string, to: string): Promise<string> {
  const { status, body } = await service.post('/v1/message/send', { campaign, to, body: 'Hello' })
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

function until(service: TestService, id: string, status: string) {
  return eventually(async () => {
    const { body } = await service.get(`/v1/message/${id}`)
    return body.message.status === status && body.message
  }, `message ${status}`)
}

function near(actual: number, expected: number): void {
  assert.equal(actual.toFixed(6), expected.toFixed(6))
}

test('an ordinary number is SENT, then DELIVERED, and charged once', async (t) => {
  const { service, campaignId, before } = await sender(t)
  const id = await send(service, campaignId, '+14155550107')
  const message = await until(service, id, 'DELIVERED')
  assert.equal(message.errorCode, null)
  assert.ok(message.sentAt)
  near(await service.balance(), before - PRICE)
})

test('messages toward every network arrive', async (t) => {
  const { service, campaignId } = await sender(t)
  for (const to of ['+14155550101', '+14155550105', '+14155550109', '+12025550199']) {
    await until(service, await send(service, campaignId, to), 'DELIVERED')
  }
})

test('refusals have their code and text and are refunded', async (t) => {
  const { service, campaignId, before } = await sender(t)
  const cases = [
    ['+14155550110', 1350, 0],
    ['+14155550120', 1360, 0],
    ['+14155550130', 1320, 0],
    ['+14155550180', 1370, 0],
    ['+11115550100', 1350, 0], // well-formed, but no such area code can exist
  ] as const
  let spent = 0
  for (const [to, code, cost] of cases) {
    const message = await until(service, await send(service, campaignId, to), 'FAILED')
    assert.equal(message.errorCode, code, to)
    assert.equal(typeof message.errorMessage, 'string')
    spent += cost
    near(await service.balance(), before - spent)
  }
})

test('a message that is throttled twice is retried, and the timeline shows it', async (t) => {
  const { service, campaignId } = await sender(t)
  const id = await send(service, campaignId, '+14155550140')
  for (let i = 0; i < 2; i += 1) {
    await eventually(async () => {
      const { body } = await service.get(`/v1/message/${id}/timeline`)
      return body.timeline.filter((entry: { kind: string }) => entry.kind === 'slow').length > i
    })
    await service.post('/sandbox/clock/advance', { seconds: 10 })
  }
  await until(service, id, 'DELIVERED')
  const { body } = await service.get(`/v1/message/${id}/timeline`)
  const kinds = body.timeline.map((entry: { kind: string }) => entry.kind)
  assert.deepEqual(kinds, ['created', 'slow', 'slow', 'sent', 'delivered'])
  assert.match(body.timeline[1].text, /^Throttled by the carrier\. Next attempt in \d\.\d s$/)
})

test('a carrier that never accepts a message ends in EXPIRED, not charged', async (t) => {
  const { service, campaignId, before } = await sender(t)
  const id = await send(service, campaignId, '+14155550160')
  const message = await eventually(async () => {
    await service.post('/sandbox/clock/advance', { seconds: 400 })
    const { body } = await service.get(`/v1/message/${id}`)
    return body.message.status === 'EXPIRED' && body.message
  })
  assert.equal(message.errorCode, 1400)
  near(await service.balance(), before)
})

test('without a receipt a message stays SENT, and an opened message becomes READ', async (t) => {
  const { service, campaignId } = await sender(t)
  const silent = await send(service, campaignId, '+14155550150')
  const reader = await send(service, campaignId, '+14155550170')
  await until(service, reader, 'READ')
  await until(service, silent, 'SENT')
})
