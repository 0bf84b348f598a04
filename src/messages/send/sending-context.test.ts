// What is cached about a campaign between sends, for how long, and for whom.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../../kit/clock.js'
import { newId } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { SendingContexts } from './sending-context.js'

const OWNER = 'acc_owner'
const newCampaign = () => newId('cmp', new Date())

function stage() {
  let nowMs = 5_000
  const clock = { nowMs: () => nowMs } as Clock
  const world = { status: 'ACTIVE', owner: OWNER, numbers: ['+14152000001', '+14152000002'] }
  let asked = 0
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    if (text.includes('from campaigns')) {
      asked += 1
      const isOwner = values.includes(world.owner)
      return isOwner ? [{ status: world.status, smsTpmAtt: 1, mmsTpmAtt: 2, dailyTmoCap: 3 }] : []
    }
    return world.numbers.map((phoneNumber) => ({
      phoneNumber,
      accountId: world.owner,
      campaignId: 'cmp_held',
      status: 'ACTIVE',
    }))
  }
  const contexts = new SendingContexts({ query } as unknown as Queryable, clock)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { contexts, world, asked: () => asked, pass }
}

test('a campaign is looked up once a second', async () => {
  const { contexts, world, asked, pass } = stage()
  const id = newCampaign()
  const all = await Promise.all([1, 2, 3].map(() => contexts.get(OWNER, id)))
  assert.deepEqual(all[0]!.numbers, world.numbers)
  assert.deepEqual([all[0]!.campaignId, all[0]!.limits.dailyTmoCap], [id, 3])
  assert.equal(asked(), 1, 'concurrent lookups share one query')
  pass(999)
  assert.equal(contexts.peek(OWNER, id)?.campaignId, id, 'it is cached')
  await contexts.get(OWNER, id)
  assert.equal(asked(), 1)
  pass(1)
  assert.equal(contexts.peek(OWNER, id), undefined)
  await contexts.get(OWNER, id)
  assert.equal(asked(), 2)
})

test('the cache of one account is not used for another', async () => {
  const { contexts, asked } = stage()
  const id = newCampaign()
  await contexts.get(OWNER, id)
  assert.equal(contexts.peek('acc_other', id), undefined)
  await assert.rejects(contexts.get('acc_other', id), /Campaign not found/)
  await contexts.get(OWNER, id)
  assert.equal(asked(), 2, 'the other account has its own lookup')
  const another = newCampaign()
  const both = [contexts.get('acc_other', another), contexts.get(OWNER, another)]
  const [other, own] = await Promise.allSettled(both)
  assert.deepEqual([other?.status, own?.status], ['rejected', 'fulfilled'], 'even at the same time')
  await assert.rejects(contexts.campaignOf('acc_other', '+14152000001'), /Campaign not found/)
  assert.equal(await contexts.campaignOf(OWNER, '+14152000001'), 'cmp_held')
})

test('an unknown number is looked up again', async () => {
  const { contexts, world, asked } = stage()
  const id = newCampaign()
  await contexts.get(OWNER, id)
  await contexts.get(OWNER, id, '+14152000002')
  assert.equal(asked(), 1)
  world.numbers = [...world.numbers, '+14152000003']
  const found = await contexts.get(OWNER, id, '+14152000003')
  assert.deepEqual([found.numbers.length, asked()], [3, 2])
  assert.equal(contexts.peek(OWNER, id, '+14152000004'), undefined)
  await contexts.get(OWNER, id, '+14152000004')
  assert.equal(asked(), 3, 'a missing number is looked up once')
})

test('a number bought during the lookup of its campaign is found', async () => {
  const { contexts, world, asked } = stage()
  const id = newCampaign()
  const before = contexts.get(OWNER, id)
  const numbers = [...world.numbers]
  const after = contexts.get(OWNER, id, '+14152000003')
  await before
  world.numbers = [...numbers, '+14152000003']
  assert.deepEqual([(await after).numbers.length, asked()], [3, 2])
})

test('a refusal is not cached', async () => {
  const { contexts, world } = stage()
  const id = newCampaign()
  const refused = (text: RegExp) => assert.rejects(async () => contexts.get(OWNER, id), text)
  world.status = 'PENDING'
  await refused(
    /^Refusal: The campaign is PENDING\. Only an ACTIVE campaign can send messages$|PENDING/,
  )
  world.status = 'ENDED'
  await refused(/it can no longer send messages/)
  world.status = 'ACTIVE'
  const { numbers } = world
  world.numbers = []
  await refused(/no phone number/)
  world.numbers = numbers.slice(0, 1)
  assert.deepEqual((await contexts.get(OWNER, id)).numbers, world.numbers)
})

test('five thousand campaigns are cached, then the oldest is looked up again', async () => {
  const { contexts, asked } = stage()
  const ids = Array.from({ length: 5_001 }, newCampaign)
  for (const id of ids.slice(0, 5_000)) await contexts.get(OWNER, id)
  await contexts.get(OWNER, ids[0]!)
  assert.equal(asked(), 5_000)
  await contexts.get(OWNER, ids[5_000]!)
  await contexts.get(OWNER, ids[0]!)
  assert.equal(asked(), 5_002)
})
