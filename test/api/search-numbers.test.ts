// GET /v1/number/search: numbers for sale in an area code, near it, or anywhere.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { areaCodesNear } from '../../src/numbers/nearby.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { type Json, type Reply, type TestService, testService } from '../harness.js'
import { newCampaign } from './campaign-bodies.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NONE = { numbers: [], error: 'No numbers found', code: 'numbers_none' }

function numbersIn(reply: Reply): string[] {
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.numbers.map((found: { number: string }) => found.number)
}

test('a number has the four fields of the contract, with its price in dollars', async (t) => {
  const service = await testService(t)
  await addInventory(service, [
    { number: '+12125550123', location: 'New York, NY', monthlyPriceMicros: 1_250_000n },
  ])
  const { status, body } = await service.get('/v1/number/search?areaCode=212')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    numbers: [
      {
        number: '+12125550123',
        formattedNumber: '(212) 555-0123',
        location: 'New York, NY',
        monthlyPrice: 1.25,
      },
    ],
  })
})

test('without an area code, numbers of all areas except toll-free ones are found', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+14155550101', '+12125550102', '+18005550142', '+18885550104'])
  assert.deepEqual(numbersIn(await service.get('/v1/number/search')), [
    '+12125550102',
    '+14155550101',
  ])
})

test('an area code with numbers returns only its own', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+14155550101', '+14155550102', '+16285550103'])
  for (const nearby of ['', '&nearby=true', '&nearby=false']) {
    assert.deepEqual(numbersIn(await service.get(`/v1/number/search?areaCode=415${nearby}`)), [
      '+14155550101',
      '+14155550102',
    ])
  }
})

test('an area code without numbers returns the nearest ones first, unless nearby is false', async (t) => {
  const service = await testService(t)
  const [nearest, second, third] = areaCodesNear('415')
  const far = areaCodesNear('415').at(-1)
  const inOrder = [nearest, second, third, far].map((code) => `+1${code}5550101`)
  await addInventory(service, [...inOrder].reverse())
  await addInventory(service, [`+1${nearest}5550100`])

  const everything = [`+1${nearest}5550100`, ...inOrder]
  assert.deepEqual(numbersIn(await service.get('/v1/number/search?areaCode=415')), everything)
  assert.deepEqual(
    numbersIn(await service.get('/v1/number/search?areaCode=415&nearby=true&limit=3')),
    everything.slice(0, 3),
  )
  const without = await service.get('/v1/number/search?areaCode=415&nearby=false')
  assert.equal(without.status, 404)
  assert.deepEqual(without.body, NONE)
})

test('numbers of nearby area codes show their distance', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+16285550101', '+15105550102'])
  const { body } = await service.get('/v1/number/search?areaCode=415')
  assert.deepEqual(
    body.numbers.map((one: Json) => [one.number, one.distanceMiles]),
    [
      ['+16285550101', 0], // an overlay of the same area
      ['+15105550102', 8],
    ],
  )
  const own = await service.get('/v1/number/search?areaCode=510')
  assert.ok(!('distanceMiles' in own.body.numbers[0]), 'no distance within the requested area code')
})

test('with a campaign, each number shows its price now, and the ledger matches to the cent', async (t) => {
  const service = await testService(t)
  const now = service.world.clock.now().getTime()
  const { campaignId } = await activeCampaign(service, {
    periodStart: new Date(now - 12.4 * DAY_MS),
    renewsAt: new Date(now + 17.6 * DAY_MS),
  })
  await addInventory(service, [
    { number: '+14155550101', monthlyPriceMicros: 1_150_000n },
    { number: '+14155550102', monthlyPriceMicros: 2_000_000n },
  ])
  const search = `/v1/number/search?areaCode=415&campaign=${campaignId}`
  const { body } = await service.get(search)
  const { renewsAt } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
  assert.deepEqual(body.period, { daysLeft: 18, days: 30, until: renewsAt })
  assert.deepEqual(
    body.numbers.map((one: Json) => one.priceNow),
    [0.69, 1.2],
  )
  for (const { number, priceNow } of body.numbers) {
    const bought = await service.post('/v1/number/buy', { campaign: campaignId, number })
    assert.equal(bought.body.charged, priceNow)
    const { entries } = (await service.get('/v1/account/ledger?reason=number_purchase&limit=1'))
      .body
    assert.equal(entries[0].amount, -priceNow, 'the shown price equals the charge')
  }
})

test('a search for a campaign requires an ACTIVE campaign of the account', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+14155550101'])
  const pending = (await newCampaign(service)).id
  const waiting = await service.get(`/v1/number/search?campaign=${pending}`)
  assert.deepEqual(
    [waiting.status, waiting.body.code, waiting.body.numbers],
    [409, 'campaign_state', []],
  )
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const id of [foreign.campaignId, 'cmp_', '1;drop']) {
    const reply = await service.get(`/v1/number/search?campaign=${encodeURIComponent(id)}`)
    assert.deepEqual([reply.status, reply.body.error], [404, 'Campaign not found'])
  }
})

test('a search without results returns “No numbers found”', async (t) => {
  const service = await testService(t)
  for (const query of ['', '?areaCode=415', '?areaCode=415&nearby=false', '?nearby=true']) {
    const reply = await service.get(`/v1/number/search${query}`)
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.body, NONE)
  }
})

test('a toll-free area code returns no numbers, not even nearby ones', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+18005550142', '+14155550101'])
  for (const code of ['800', '833', '844', '855', '866', '877', '888']) {
    const reply = await service.get(`/v1/number/search?areaCode=${code}`)
    assert.equal(reply.status, 404)
    assert.deepEqual(reply.body, NONE)
  }
})

test('an invalid area code is refused', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+14155550101'])
  const error = 'areaCode must be a US or Canadian area code, for example 415'
  const wrong = ['', '41', '4155', 'abc', '+415', '%20415', '000', '123', '911', '555', '999']
  for (const query of [...wrong.map((code) => `areaCode=${code}`), 'areaCode=415&areaCode=628']) {
    const { status, body } = await service.get(`/v1/number/search?${query}`)
    assert.equal(status, 400, query)
    assert.deepEqual(body.numbers, [])
    assert.equal(body.error, error)
    assert.equal(body.code, 'field_invalid')
    assert.equal(body.details[0].field, 'areaCode')
  }
})

test('an area code missing from our table is found once it has numbers', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+12355550101'])
  assert.deepEqual(numbersIn(await service.get('/v1/number/search?areaCode=235')), ['+12355550101'])
  assert.equal((await service.get('/v1/number/search?areaCode=238')).status, 400)
})

test('a search returns ten numbers by default and up to a thousand with limit', async (t) => {
  const service = await testService(t)
  await addInventory(service, manyNumbers('415', 1001))
  const lengthAt = async (query: string): Promise<number> =>
    numbersIn(await service.get(`/v1/number/search${query}`)).length
  assert.equal(await lengthAt(''), 10)
  assert.equal(await lengthAt('?areaCode=415'), 10)
  assert.equal(await lengthAt('?areaCode=628'), 10)
  assert.equal(await lengthAt('?limit=1'), 1)
  assert.equal(await lengthAt('?limit=1000'), 1000)
  assert.equal(await lengthAt('?areaCode=628&limit=1000'), 1000)
})

test('limit and nearby out of range are refused', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+14155550101'])
  const limitError = 'limit must be a whole number from 1 to 1000'
  const rows: [string, string][] = [
    ['limit=0', limitError],
    ['limit=-1', limitError],
    ['limit=1001', limitError],
    ['limit=1.5', limitError],
    ['limit=many', limitError],
    ['nearby=maybe', 'nearby must be true or false'],
    ['nearby=1', 'nearby must be true or false'],
  ]
  for (const [query, error] of rows) {
    const { status, body } = await service.get(`/v1/number/search?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error, error)
    assert.deepEqual(body.numbers, [])
  }
})

test('a bought number is no longer found, and a released one is found again', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  assert.equal((await service.get('/v1/number/search')).status, 404)
  await service.call('DELETE', `/v1/number/${number.slice(1)}`)
  assert.deepEqual(numbersIn(await service.get('/v1/number/search')), [number])
})

test('a search requires the read scope', async (t) => {
  const service = await testService(t)
  const sender = await service.tokenWith(['send'])
  for (const [token, status] of [
    [null, 401],
    ['lc_unknown', 401],
    [sender, 403],
  ] as const) {
    const reply = await service.get('/v1/number/search', { token })
    assert.equal(reply.status, status)
    assert.deepEqual(reply.body.numbers, [])
  }
})

test('numbers held by other accounts are never shown', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, campaignId, { token: other.token })
  await addInventory(service, ['+14155550101'])
  assert.deepEqual(await found(service), ['+14155550101'])
  assert.deepEqual(await found(service, other.token), ['+14155550101'])
})

async function found(service: TestService, token = service.token): Promise<string[]> {
  return numbersIn(await service.get('/v1/number/search', { token }))
}

function manyNumbers(areaCode: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `+1${areaCode}${2_000_000 + i}`)
}

test('a campaign of a US brand is offered no Canadian numbers, and one of a Canadian brand is', async (t) => {
  const service = await testService(t)
  await addInventory(service, ['+12045550101', '+14155550102', '+14165550103'])
  const { campaignId, brandId } = await activeCampaign(service)
  const search = (query: string) => service.get(`/v1/number/search?${query}`)
  assert.deepEqual(numbersIn(await search(`campaign=${campaignId}`)), ['+14155550102'])
  assert.deepEqual((await search(`campaign=${campaignId}&areaCode=416`)).body.code, 'numbers_none')
  assert.deepEqual(numbersIn(await search('areaCode=416')), ['+14165550103'])
  await service.world.db.query(sql`update brands set country = 'CA' where id = ${brandId}`)
  assert.equal(numbersIn(await search(`campaign=${campaignId}`)).length, 3)
})
