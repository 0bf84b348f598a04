// Provider numbers: searched, bought, bound, forwarded, and released there, with money and state here, and what
// happens when the provider refuses, is slow, is cut off, or does not respond.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import type { OperatedService } from '../api/operator-service.js'
import { activeCampaign, addInventory } from '../fixtures.js'
import { eventually } from '../harness.js'
import { assertBought, numberService } from '../providers/number-service.js'
import { VZW } from '../sending.js'

const ONE = '+14152000001'
const TWO = '+14152000002'
const FAR = '+12122000003'

test('a number is searched, ordered once, bound to the campaign’s profile, forwarded, and returned', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE, TWO, FAR])
  const { numbers } = fake
  const found = await service.get('/v1/number/search?areaCode=415')
  assert.deepEqual(
    found.body.numbers.map((one: Record<string, unknown>) => [
      one.number,
      one.monthlyPrice,
      one.location,
    ]),
    [
      [ONE, 2, 'San Francisco, CA'],
      [TWO, 2, 'San Francisco, CA'],
    ],
  )
  const near = await service.get('/v1/number/search?areaCode=209')
  assert.deepEqual(
    near.body.numbers.map((one: Record<string, unknown>) => one.number),
    [ONE, TWO],
    'nearest first, and nothing beyond 300 miles, whatever the provider lists',
  )
  assert.equal((await service.get('/v1/number/search?areaCode=209&nearby=false')).status, 404)

  const before = await service.balance()
  const [first, second] = await Promise.all([buy(ONE), buy(TWO)])
  assertBought(first, 'PENDING')
  assertBought(second, 'PENDING')
  assert.equal(await service.balance(), before - 4)
  await until(ONE, 'ACTIVE')
  await until(TWO, 'ACTIVE')
  assert.equal(numbers.orders.length, 2)
  assert.equal(numbers.profiles.size, 1, 'one profile for the campaign')
  const [[profileId, name]] = [...numbers.profiles] as [[string, string]]
  assert.match(name, new RegExp(campaignId))
  assert.deepEqual(
    [ONE, TWO].map((one) => numbers.purchased.get(one)?.profileId),
    [profileId, profileId],
  )
  numbers.forSale.add(ONE) // its lists lag behind
  assert.equal((await service.get('/v1/number/search?areaCode=415')).status, 404, 'both are sold')
  numbers.forSale.delete(ONE)
  assert.equal((await buy(ONE)).body.code, 'number_owned')
  assert.equal((await buy('+14152999999')).body.code, 'number_not_for_sale')

  const forwarding = `/v1/number/${ONE.slice(1)}/forwarding`
  await service.call('PATCH', forwarding, { forwardNumber: '+14155550188' })
  await eventually(
    async () => numbers.purchased.get(ONE)?.forwardsTo === '+14155550188',
    'set there',
  )
  const { id } = numbers.purchased.get(ONE)!

  numbers.mishaps.push({ on: /^DELETE/, what: { status: 401, body: {} } })
  numbers.mishaps.push({ on: /^DELETE/, what: 'cut after taking' })
  const released = await service.call('DELETE', `/v1/number/${ONE.slice(1)}`)
  assert.equal(released.status, 200, 'the customer does not wait for the provider')
  await eventually(async () => !numbers.purchased.has(ONE), 'released there')
  await eventually(async () => numbers.mishaps.length === 0)
  assert.equal((await service.get(`/v1/number/${ONE.slice(1)}`)).status, 404)
  const stock = await service.get('/v1/number/search?areaCode=212')
  assert.equal(stock.status, 200, 'from the provider, not from our own stock')
  assert.equal(await service.balance(), before - 4, 'nothing is refunded')
  const forwarded = fake.requests.filter(({ path }) => path.endsWith('/voice'))
  assert.ok(forwarded.length > 0)
  assert.ok(
    forwarded.every(({ path }) => path.includes(id)),
    'only the number whose forwarding changed',
  )
})

test('a message from a PENDING number waits and leaves when it is ACTIVE', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE])
  fake.numbers.ordersAre = 'pending'
  assertBought(await buy(ONE), 'PENDING')
  const sent = await service.post('/v1/message/send', {
    ...{ campaign: campaignId, to: VZW, body: 'Soon' },
  })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const [order] = await eventually(
    async () => fake.numbers.orders.length > 0 && fake.numbers.orders,
  )
  const asks = () =>
    fake.requests.filter(({ method, path }) => method === 'GET' && path.includes('number_orders'))
  await eventually(async () => asks().length >= 2, 'it is checked')
  const { body } = await service.get(`/v1/message/${sent.body.id}/timeline`)
  assert.match(JSON.stringify(body.timeline), /is PENDING until its provider activates it/)
  assert.deepEqual(fake.taken, [])
  fake.numbers.complete(order!)
  await until(ONE, 'ACTIVE')
  await eventually(async () => {
    const { body } = await service.get(`/v1/message/${sent.body.id}`)
    return body.message.status === 'DELIVERED'
  }, 'it was sent')
  assert.equal(fake.taken.length, 1)
})

test('an unavailable number is FAILED with its reason, and refunded', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE, TWO])
  const before = await service.balance()
  const { spentThisMonth: spentBefore } = (await service.get('/v1/account')).body.account
  fake.numbers.ordersAre = 'refused'
  assertBought(await buy(ONE), 'PENDING')
  const failed = await until(ONE, 'FAILED')
  assert.match(failed.statusReason, /Somebody else has it/)
  assert.equal(failed.isDefault, false)
  assert.equal(await service.balance(), before)
  const { spentThisMonth } = (await service.get('/v1/account')).body.account
  assert.equal(spentThisMonth, spentBefore)
  const send = { campaign: campaignId, to: VZW, body: 'Hello' }
  assert.equal((await service.post('/v1/message/send', send)).body.code, 'campaign_numberless')
  const refused = await service.post(`/v1/number/${ONE.slice(1)}/default`)
  assert.equal(refused.body.code, 'number_state')

  fake.numbers.ordersAre = 'pending'
  assertBought(await buy(TWO), 'PENDING')
  const [order] = await eventually(
    async () => fake.numbers.orders.length > 0 && fake.numbers.orders,
  )
  order!.status = 'failure'
  await until(TWO, 'FAILED')
  assert.equal(await service.balance(), before)
  fake.numbers.ordersAre = 'refused'
  assertBought(await buy(ONE), 'PENDING')
  await until(ONE, 'FAILED')
  assert.equal(await service.balance(), before, 'a second failure is refunded as well')
  const { body } = await service.get('/v1/account/ledger')
  assert.deepEqual(
    body.entries.slice(0, 2).map((one: { reason: string }) => one.reason),
    ['number_refund', 'number_purchase'],
  )

  fake.numbers.ordersAre = 'done'
  assertBought(await buy(ONE), 'PENDING')
  assert.equal((await until(ONE, 'ACTIVE')).isDefault, true)
  assert.equal((await service.call('DELETE', `/v1/number/${TWO.slice(1)}`)).status, 200)
})

test('a number that is also in our own stock is bought from the provider, at its price', async (t) => {
  const { service, fake, buy, until } = await numberService(t, [ONE])
  await addInventory(service, [ONE])
  const before = await service.balance()
  assertBought(await buy(ONE), 'PENDING')
  assert.equal((await until(ONE, 'ACTIVE')).monthlyPrice, 2)
  assert.equal(await service.balance(), before - 2)
  assert.ok(fake.numbers.purchased.has(ONE))
})

test('an order with an unknown outcome is looked up before another is placed', async (t) => {
  const { fake, buy, until } = await numberService(t, [ONE, TWO])
  const { numbers } = fake
  numbers.mishaps.push({ on: /^POST .*number_orders/, what: '500 after taking' })
  assertBought(await buy(ONE), 'PENDING')
  await until(ONE, 'ACTIVE')
  assert.equal(numbers.orders.length, 1, 'it existed, so it is not ordered again')

  numbers.mishaps.push({ on: /^POST .*number_orders/, what: 'cut' })
  assertBought(await buy(TWO), 'PENDING')
  await until(TWO, 'ACTIVE')
  assert.equal(numbers.orders.length, 2)
  const posts = fake.requests.filter(
    ({ method, path }) => method === 'POST' && path.includes('number_orders'),
  )
  assert.equal(posts.length, 3, 'the order that was never accepted is placed again')
  const at = fake.requests.lastIndexOf(posts[2]!)
  assert.match(
    fake.requests
      .slice(0, at)
      .map(({ path }) => path)
      .join('\n'),
    /customer_reference/,
  )
})

test('an unreachable provider is reported immediately and fails no purchase', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE])
  const before = await service.balance()
  fake.numbers.mishaps.push({ on: /available/, what: { status: 503, body: '' } })
  const search = await service.get('/v1/number/search')
  assert.deepEqual(
    [search.status, search.body.code, search.body.numbers],
    [503, 'numbers_unreachable', []],
  )
  assert.ok(Number(search.headers['retry-after']) > 0)
  fake.numbers.mishaps.push({ on: /available/, what: 'silent' })
  assert.equal((await buy(ONE)).body.code, 'numbers_unreachable')
  assert.equal(await service.balance(), before)

  // The key is lost between the purchase and the order: the operator's fault, and the number waits.
  const refusal = { errors: [{ code: '10009', title: 'Authentication failed' }] }
  fake.numbers.mishaps.push({ on: /^POST .*number_orders/, what: { status: 401, body: refusal } })
  const idempotent = { headers: { 'idempotency-key': 'once' } }
  const path = `/v1/campaign/${campaignId}/number/buy`
  const first = await service.post(path, { number: ONE }, idempotent)
  assertBought(first, 'PENDING')
  await until(ONE, 'ACTIVE')
  const again = await service.post(path, { number: ONE }, idempotent)
  assert.deepEqual(again.body, first.body, 'a repeat gets the same response')
  assert.equal(fake.numbers.orders.length, 1)
})

for (const kind of ['twilio', 'bandwidth'] as const) {
  test(`${kind}: a number is found, ordered once despite a lost response, bound, refused with a refund, and returned`, async (t) => {
    const { service, fake, buy, until } = await numberService(t, [ONE, TWO], { kind })
    const { numbers } = fake
    const found = await service.get('/v1/number/search?areaCode=415')
    assert.deepEqual(
      found.body.numbers.map((one: Record<string, unknown>) => one.number),
      [ONE, TWO],
    )
    const before = await service.balance()
    numbers.mishaps.push({
      on: /^POST .*(?:IncomingPhoneNumbers|orders)/,
      what: '500 after taking',
    })
    assertBought(await buy(ONE), 'PENDING')
    await until(ONE, 'ACTIVE')
    assert.equal(numbers.orders.length, 1)
    const { profileId } = numbers.purchased.get(ONE)!
    assert.equal(profileId, kind === 'twilio' ? [...numbers.profiles.keys()][0] : '22')
    numbers.ordersAre = 'refused'
    assertBought(await buy(TWO), 'PENDING')
    assert.match((await until(TWO, 'FAILED')).statusReason, /Not available|Somebody else has it/)
    assert.equal(await service.balance(), before - 2)
    assert.equal((await service.call('DELETE', `/v1/number/${ONE.slice(1)}`)).status, 200)
    await eventually(async () => !numbers.purchased.has(ONE), 'released there')
    assert.deepEqual(fake.faults, [])
  })
}

for (const kind of ['telnyx', 'twilio', 'bandwidth'] as const) {
  test(`${kind}: numbers that move to another campaign, and on to a third, move there as well`, async (t) => {
    const { service, fake, campaignId, env, buy, until } = await numberService(t, [ONE], { kind })
    const [second, third] = [await activeCampaign(service), await activeCampaign(service)]
    if (kind === 'bandwidth')
      await addLocations(service, env, [second.campaignId, third.campaignId])
    assertBought(await buy(ONE), 'PENDING')
    await until(ONE, 'ACTIVE')
    const profileId = () => fake.numbers.purchased.get(ONE)?.profileId ?? null
    const seen = [profileId()]
    for (const [from, to] of [
      [campaignId, second.campaignId],
      [second.campaignId, third.campaignId],
    ]) {
      fake.numbers.mishaps.push({ on: /^(?:DELETE|PATCH|POST) /, what: '500 after taking' })
      const ended = await service.post(`/v1/campaign/${from}/end`, {
        ...{ confirm: from, moveNumbersTo: to },
      })
      assert.equal(ended.status, 200, JSON.stringify(ended.body))
      await eventually(async () => {
        const now = profileId()
        return now !== null && !seen.includes(now)
      }, 'moved there')
      seen.push(profileId())
      await eventually(async () => {
        const [row] = await service.world.db.query<{ phase: string }>(
          sql`select phase from rented_numbers`,
        )
        return row?.phase === 'held'
      }, 'known here')
    }
    assert.equal((await until(ONE, 'ACTIVE')).campaignId, third.campaignId)
    assert.deepEqual(fake.faults, [])
  })
}

/** A separate location for each, as the operator creates them by hand. */
async function addLocations(
  { operate }: Pick<OperatedService, 'operate'>,
  { LONGCODE_CARRIERS: file = '' }: Record<string, string>,
  campaignIds: readonly string[],
): Promise<void> {
  const lines = campaignIds.map((id, index) => `        ${id}: "${33 + index}"\n`)
  const own = `locationId: "22"\n      locations:\n${lines.join('')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace('locationId: "22"\n', own))
  const { body } = await operate('POST', '/carrier/reload')
  assert.equal(body.processes[0].outcome, 'reloaded', JSON.stringify(body))
}
