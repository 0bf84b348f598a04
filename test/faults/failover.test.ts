// The database's primary dies under load, and its standby takes over. Every accepted message exists once, is charged
// once, and is sent, and the service finds the new primary automatically.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import { startReplicaPair } from './replica-pair.js'

const CLIENTS = 8
const BEFORE = 60
const AFTER = 60

test('a failover under load loses no message and charges each once', async (t) => {
  const pair = await startReplicaPair()
  const env = { LONGCODE_DATABASE_TIMEOUT: '10' }
  const service = await testService(t, { roles: ['dispatch'], database: pair, env })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const before = await service.balance()
  const ids = new Map<string, string>()
  const refusals: { status: number; retryAfter: string | undefined }[] = []
  let isOver = false
  const send = async (key: string) => {
    const body = { campaign: campaignId, to: '+12125550100', body: `message ${key}` }
    while (!ids.has(key)) {
      const reply = await service.post('/v1/message/send', body, {
        headers: { 'idempotency-key': key },
      })
      if (reply.status === 200) ids.set(key, reply.body.id)
      else {
        refusals.push({ status: reply.status, retryAfter: reply.headers['retry-after'] })
        await sleep(100)
      }
    }
  }
  const client = async (name: number) => {
    for (let i = 0; !isOver; i += 1) await send(`${name}-${i}`)
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)))
  await eventually(async () => ids.size >= BEFORE, 'messages are accepted')
  pair.killPrimary()
  await eventually(async () => refusals.length > 0, 'a send is refused')
  const accepted = ids.size
  await pair.promoteStandby()
  await eventually(async () => ids.size >= accepted + AFTER, 'messages are accepted again')
  isOver = true
  await clients

  for (const { status, retryAfter } of refusals) {
    assert.equal(status, 503)
    assert.match(retryAfter ?? '', /^\d+$/, 'Retry-After is set')
  }
  t.diagnostic(`${ids.size} accepted, ${refusals.length} refused meanwhile`)
  assert.equal(new Set(ids.values()).size, ids.size, 'every id is different')
  const spent = Math.round((before - (await service.balance())) * 10_000)
  assert.equal(spent, ids.size * 79, 'each is charged once')
  for (const id of ids.values()) {
    await eventually(async () => {
      const { status } = (await service.get(`/v1/message/${id}`)).body.message
      return status === 'DELIVERED'
    }, `${id} is delivered`)
  }
})
