// Every kind of price, from every source and in every order: the account's own price, then the general one, then the
// setting, whichever was set last. Each is proven by charges. A new kind needs a line in CHARGES.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { PRICE_KINDS, type PriceKind } from '../../src/ledger/price-book.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { DatagramCaller, statusOf } from '../peers/sip/datagram-caller.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { assertDollars, VZW } from '../sending.js'

const SETTINGS: Record<PriceKind, number> = { sms: 0.011, mms: 0.031, call: 0.0021 }
const GENERAL: Record<PriceKind, number> = { sms: 0.012, mms: 0.032, call: 0.0022 }
const OWN: Record<PriceKind, number> = { sms: 0.013, mms: 0.033, call: 0.0023 }
const FREE: Record<PriceKind, number> = { sms: 0, mms: 0, call: 0 }
const NONE: Record<PriceKind, null> = { sms: null, mms: null, call: null }

/** Both sources are set and removed in every order. `expected` is what the account pays after that. */
const STEPS: [
  what: string,
  who: 'own' | 'general',
  prices: typeof OWN | typeof NONE,
  expected: typeof OWN,
][] = [
  ['an own price before a setting', 'own', OWN, OWN],
  ['an own price before a later general one', 'general', GENERAL, OWN],
  ['the general price once the own one is removed', 'own', NONE, GENERAL],
  ['the setting once both are removed', 'general', NONE, SETTINGS],
  ['a general price before a setting', 'general', GENERAL, GENERAL],
  ['an own price of zero before a general one', 'own', FREE, FREE],
  ['an own price after a general one', 'own', OWN, OWN],
  ['an own price after the general one is removed', 'general', NONE, OWN],
]

test('each kind of price applies by its source, in every order', async (t) => {
  const stage = await voiceService(t, {
    env: {
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      LONGCODE_SMS_PRICE: String(SETTINGS.sms),
      LONGCODE_MMS_PRICE: String(SETTINGS.mms),
      LONGCODE_CALL_PRICE: String(SETTINGS.call),
    },
  })
  const { service, port } = stage
  const forwarded = await stage.buy(TARGET)
  const { campaignId: campaign } = await activeCampaign(service)
  const number = await buyNumber(service, campaign)
  const caller = await DatagramCaller.open(t)
  const balance = async () => (await service.get('/v1/account')).body.account.balance as number
  const cost = async (work: () => Promise<unknown>) => {
    const before = await balance()
    await work()
    return before - (await balance())
  }
  const send = async (more: object) => {
    const { status, body } = await service.post('/v1/message/send', {
      ...{ campaign, to: VZW, body: 'Hello', ...more },
    })
    assert.equal(status, 200, JSON.stringify(body))
  }
  let calls = 0
  const recorded = async () => {
    calls += 1
    await eventually(async () => {
      await service.voice!.records.write()
      const [found] = await service.world.db.query<{ count: number }>(sql`
        select count(*)::int as count from call_records`)
      return found!.count === calls
    }, 'the record of the call')
  }
  /** What one unit costs, in every way to buy it. */
  const CHARGES: Record<PriceKind, (() => Promise<number>)[]> = {
    sms: [
      () => cost(() => send({})),
      async () => (await cost(() => send({ body: 'x'.repeat(161) }))) / 2,
      async () =>
        (await cost(() =>
          service.post('/v1/message/batch', {
            messages: ['One', 'Two'].map((body) => ({ campaign, to: VZW, body })),
          }),
        )) / 2,
      async () => {
        const preview = { campaign, to: VZW, body: 'Hello' }
        return (await service.post('/v1/message/preview', preview)).body.price
      },
    ],
    mms: [() => cost(() => send({ mediaUrls: ['https://example.com/a.png'] }))],
    call: [
      () =>
        cost(async () => {
          assert.equal(
            statusOf(await caller.ask(caller.invite(`sip:${forwarded}@ours.test`), port)),
            302,
          )
          await recorded()
        }),
    ],
  }
  const assertPays = async (what: string, expected: typeof OWN) => {
    service.world.clock.moveTo(service.world.clock.offsetMs + 4_000) // prices are cached for three seconds
    const { prices } = (await service.get('/v1/account/prices')).body
    for (const kind of PRICE_KINDS) {
      assertDollars(prices[kind], expected[kind])
      for (const [i, charge] of CHARGES[kind].entries()) {
        assert.equal(
          (await charge()).toFixed(6),
          expected[kind].toFixed(6),
          `${what}: ${kind} ${i}`,
        )
      }
    }
    assertDollars(
      await cost(() => service.post('/sandbox/inbound', { from: VZW, to: number, body: 'Hi' })),
      0,
    )
  }
  await assertPays('the settings', SETTINGS)
  for (const [what, who, prices, expected] of STEPS) {
    for (const kind of PRICE_KINDS) {
      const account = who === 'own' ? service.accountId : undefined
      // The second one corrects the first before it starts.
      const effectiveAt = new Date(service.world.clock.nowMs() + 2_000).toISOString()
      for (const amount of [0.5, prices[kind]]) {
        const body = { kind, amount, effectiveAt, ...(account && { account }) }
        const options = { token: OPERATOR_TOKEN }
        assert.equal((await service.post('/operator/v1/price/set', body, options)).status, 200)
      }
    }
    await assertPays(what, expected)
  }
})
