// What a search and a purchase make of the answers of providers: which numbers are offered, in which order, and why there
// is none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../accounts/account.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import { NO_SOURCES, type NumberSource } from '../number-source.js'
import { AREA_CODE_EXPECTS } from '../search-numbers.js'
import { askOffer, searchSeller } from './ask-seller.js'

const number = (areaCode: string, tail = '0001') => `+1${areaCode}555${tail}`

/** The rows are those of every statement. */
function asking(rows: object[] = []) {
  const logged: unknown[] = []
  const log = { warn: (...line: unknown[]) => void logged.push(line) }
  return { logged, world: { db: { query: async () => rows }, log } as unknown as World }
}

/** Sells these numbers, or fails. */
function sellerOf(link: string, sold: readonly string[] | Error, location: string | null = null) {
  const queries: unknown[] = []
  const answer = async () => {
    if (sold instanceof Error) throw sold
    return sold.map((one) => ({ number: one, location }))
  }
  const source = {
    ...{ link, monthlyPriceMicros: 2n },
    search: (query: unknown) => {
      queries.push(query)
      return answer()
    },
    find: async (wanted: string) => (await answer()).find((one) => one.number === wanted) ?? null,
  }
  return { queries, source: source as unknown as NumberSource }
}

const QUERY = {
  areaCode: '415' as string | null,
  nearby: true,
  limit: 2,
  isUsOnly: true,
  stock: null,
}

test('a search asks for spare numbers, and leaves out those that are sold, far away, or not offered', async () => {
  const listed = ['209', '510', '415', '212', '800', '416'].map((code) => number(code))
  for (const [query, found, sold] of [
    [{}, ['415', '510']],
    [{ limit: 9 }, ['415', '510', '209']],
    [{ limit: 9, nearby: false }, ['415']],
    [{ limit: 9, areaCode: null }, ['209', '510', '415', '212']],
    [{ limit: 9, areaCode: null, isUsOnly: false }, ['209', '510', '415', '212', '416']],
    [{ limit: 9 }, ['510', '209'], '415'],
    [{ areaCode: '510' }, ['510', '415']],
  ] as [Partial<typeof QUERY>, string[], string?][]) {
    const { world } = asking(sold === undefined ? [] : [{ phoneNumber: number(sold) }])
    const { source, queries } = sellerOf('x', listed)
    const offers = await searchSeller(world, source, { ...QUERY, ...query })
    assert.deepEqual(
      offers.map(({ areaCode }) => areaCode),
      found,
      JSON.stringify(query),
    )
    const { areaCode, nearby, limit } = { ...QUERY, ...query }
    assert.deepEqual(queries, [{ areaCode, nearby, limit: limit + 20 }])
  }
  const { source } = sellerOf('x', [number('415')], 'Elsewhere')
  const [offer] = await searchSeller(asking().world, source, QUERY)
  const place = { location: 'San Francisco, CA', areaCode: '415', number: number('415') }
  assert.deepEqual(offer, { link: 'x', ...place, monthlyPriceMicros: 2n, hosts: null })
  for (const [given, location] of [
    ['Guam', 'Guam'],
    [null, 'United States'],
  ] as const) {
    const unknown = sellerOf('x', [number('999')], given).source
    const [found] = await searchSeller(asking().world, unknown, { ...QUERY, areaCode: '999' })
    assert.equal(found?.location, location)
  }
})

test('a search without a result reports an unknown area code, a provider that does not respond, or no numbers', async () => {
  const fault = new RemoteFault('later', 'Call 4155550100 or 123456')
  for (const [sold, areaCode, code, queries] of [
    [[], '415', 'numbers_none', 1],
    [[], null, 'numbers_none', 1],
    [[], '999', 'field_invalid', 1],
    [[number('800')], '800', 'numbers_none', 0],
    [fault, '415', 'numbers_unreachable', 1],
  ] as const) {
    const { world, logged } = asking()
    const seller = sellerOf('x', sold)
    const searching = searchSeller(world, seller.source, { ...QUERY, areaCode })
    await assert.rejects(searching, (error: Refusal) => {
      assert.equal(error.code, code, `${areaCode}`)
      if (code === 'field_invalid') assert.ok(error.message.includes(AREA_CODE_EXPECTS))
      return true
    })
    assert.equal(seller.queries.length, queries)
    const line = [{ link: 'x', detail: 'Call … or 123456' }, 'the number provider did not respond']
    assert.deepEqual(logged, sold === fault ? [line] : [])
  }
  const mistake = new Error('our mistake')
  await assert.rejects(searchSeller(asking().world, sellerOf('x', mistake).source, QUERY), mistake)
})

test('a number is bought from the first carrying provider that has it, and otherwise there is a reason', async () => {
  const wanted = number('415')
  const fault = new RemoteFault('later', 'No.')
  const sold = { x: [wanted], none: [], down: fault }
  for (const [carrying, others, outcome] of [
    [[], [], null],
    [['x'], [], 'x'],
    [['none', 'x'], [], 'x'],
    [['down', 'x'], [], 'x'],
    [['none'], ['x'], 'number_not_carried'],
    [[], ['x'], 'number_not_carried'],
    [['none'], ['none'], 'number_not_for_sale'],
    [['down'], ['none'], 'numbers_unreachable'],
    [['none'], ['down'], 'numbers_unreachable'],
  ] as [(keyof typeof sold)[], (keyof typeof sold)[], string | null][]) {
    const carriers = carrying.map((one) => sellerOf(one, sold[one]).source)
    const rest = others.map((one) => sellerOf(one, sold[one]).source)
    const sources = {
      ...NO_SOURCES,
      sellers: () => [...rest, ...carriers],
      sellersFor: (campaign: object) => {
        assert.deepEqual(campaign, { id: 'cmp', registeredBy: 'x' })
        return carriers
      },
    }
    const purchase = { campaignId: 'cmp', phoneNumber: wanted }
    const { world } = asking([{ link: 'x' }])
    const offered = await askOffer(world, sources, 'acc' as AccountId, purchase)
    const found = offered instanceof Refusal ? offered.code : (offered?.link ?? null)
    assert.equal(found, outcome, `${carrying} | ${others}`)
  }
})
