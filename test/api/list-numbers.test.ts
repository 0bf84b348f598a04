// GET /v1/number/list: the numbers of all campaigns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'

interface Listed {
  phoneNumber: string
  campaign: string
}

test('numbers of all campaigns are listed with their campaign, newest purchase first', async (t) => {
  const service = await testService(t)
  const one = await activeCampaign(service)
  const two = await activeCampaign(service)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  const bought: [string, string][] = []
  for (const { campaignId } of [one, two, one]) {
    bought.unshift([await buyNumber(service, campaignId), campaignId])
  }
  await buyNumber(service, foreign.campaignId, { token: other.token })

  const { status, body } = await service.get('/v1/number/list')
  assert.equal(status, 200)
  assert.equal(body.hasMore, false)
  assert.deepEqual(
    body.numbers.map((number: Listed) => [number.phoneNumber, number.campaign]),
    bought,
  )
  const { campaignId, ...rest } = (await service.get(`/v1/number/${bought[0]![0]}`)).body.number
  assert.deepEqual(body.numbers[0], { ...rest, campaign: campaignId })
})

test('an account without numbers has an empty list', async (t) => {
  const service = await testService(t)
  const { body } = await service.get('/v1/number/list')
  assert.deepEqual(body, { numbers: [], hasMore: false })
})

test('limit, skip, and after page through the list without gaps, even with simultaneous purchases', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  for (let i = 0; i < 12; i += 1) await buyNumber(service, campaignId)
  await service.world.db.query(sql`
    update numbers set purchased_at = date_trunc('minute', purchased_at)`)

  const all = await page(service, 'limit=1000')
  assert.equal(all.numbers.length, 12)
  assert.deepEqual(await page(service, ''), { numbers: all.numbers.slice(0, 10), hasMore: true })
  assert.deepEqual(await page(service, 'limit=5&skip=10'), {
    numbers: all.numbers.slice(10),
    hasMore: false,
  })

  const walked: string[] = []
  for (let after = ''; ; after = `&after=${encodeURIComponent(walked.at(-1)!)}`) {
    const { numbers, hasMore } = await page(service, `limit=5${after}`)
    walked.push(...numbers)
    if (!hasMore) break
  }
  assert.deepEqual(walked, all.numbers)
})

test('a page out of range, or after a number that is not listed, is refused', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: other.accountId })
  const foreign = await buyNumber(service, campaignId, { token: other.token })
  const limitError = 'limit must be a whole number from 1 to 1000'
  const afterError = 'after must be the phoneNumber of the last record of the previous page'
  const rows: [string, string][] = [
    ['limit=0', limitError],
    ['limit=1001', limitError],
    ['skip=-1', 'skip must be a whole number, 0 or more'],
    ['after=14155550123', afterError],
    ['after=%2B14155550123', afterError],
    [`after=${encodeURIComponent(foreign)}`, afterError],
  ]
  for (const [query, error] of rows) {
    const { status, body } = await service.get(`/v1/number/list?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error, error)
    assert.deepEqual(body.numbers, [])
  }
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  const sender = await service.tokenWith(['send'])
  for (const [token, status] of [
    [null, 401],
    [sender, 403],
  ] as const) {
    const reply = await service.get('/v1/number/list', { token })
    assert.equal(reply.status, status)
    assert.deepEqual(reply.body.numbers, [])
  }
})

async function page(
  service: TestService,
  query: string,
): Promise<{ numbers: string[]; hasMore: boolean }> {
  const { status, body } = await service.get(`/v1/number/list?${query}`)
  assert.equal(status, 200)
  const numbers = body.numbers.map((number: Listed) => number.phoneNumber)
  return { numbers, hasMore: body.hasMore }
}
