// What a fresh sandbox has for sale.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { inventoryNumbers, SOLD_OUT_AREA_CODES } from '../../src/sandbox/inventory.js'
import { seedInventory } from '../../src/sandbox/seed-inventory.js'
import { activeCampaign } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'

test('a new sandbox offers its inventory, and a second start adds nothing', async (t) => {
  const service = await testService(t)
  await Promise.all([seedInventory(service.world.db), seedInventory(service.world.db)])
  const all = [...inventoryNumbers()].length
  assert.equal(await count(service), all)
  await service.world.db.query(sql`delete from number_inventory where area_code = '415'`)
  await seedInventory(service.world.db)
  assert.ok((await count(service)) < all, 'sold numbers are not added again')
})

test('a sandbox whose numbers are all sold is not stocked again', async (t) => {
  const service = await testService(t)
  await seedInventory(service.world.db)
  const { campaignId } = await activeCampaign(service)
  const { body } = await service.get('/v1/number/search?limit=1')
  const number = body.numbers[0].number
  assert.equal((await service.post('/v1/number/buy', { number, campaign: campaignId })).status, 200)
  await service.world.db.query(sql`delete from number_inventory`)
  await seedInventory(service.world.db)
  assert.equal(await count(service), 0)
})

/** Alaska: everything else is more than 300 miles away or in Canada. */
const REMOTE = '907'

test('a sold-out area code shows its neighbors', async (t) => {
  const service = await testService(t)
  await seedInventory(service.world.db)
  for (const code of SOLD_OUT_AREA_CODES) {
    if (code === REMOTE) continue
    const { status, body } = await service.get(`/v1/number/search?areaCode=${code}`)
    assert.equal(status, 200)
    assert.equal(body.numbers.length, 10)
    const without = await service.get(`/v1/number/search?areaCode=${code}&nearby=false`)
    assert.equal(without.status, 404)
  }
  const remote = await service.get(`/v1/number/search?areaCode=${REMOTE}`)
  assert.equal(remote.status, 404, 'nothing is within 300 miles')
  // 332, 646, and 917 overlay 212: they are Manhattan, too.
  const { body } = await service.get('/v1/number/search?areaCode=212&limit=1')
  assert.equal(body.numbers[0].location, 'New York, NY')
})

test('toll-free numbers are in the inventory and cannot be bought', async (t) => {
  const service = await testService(t)
  await seedInventory(service.world.db)
  const { campaignId } = await activeCampaign(service)
  const [tollFree] = await service.world.db.query<{ number: string }>(sql`
    select phone_number as number from number_inventory where area_code = '800'`)
  const { status, body } = await service.post('/v1/number/buy', {
    number: tollFree!.number,
    campaign: campaignId,
  })
  assert.equal(status, 400)
  assert.equal(body.code, 'number_toll_free')
})

async function count(service: TestService): Promise<number> {
  const [row] = await service.world.db.query<{ total: number }>(sql`
    select count(*)::int as total from number_inventory`)
  return row!.total
}
