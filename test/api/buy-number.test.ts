// POST /v1/campaign/{id}/number/buy and POST /v1/number/buy: both paths make the same purchase.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { type Reply, type TestService, testService } from '../harness.js'

const NUMBER = '+14155550123'
const DAY_MS = 24 * 60 * 60 * 1000
const UNKNOWN_CAMPAIGN = 'cmp_01km3v9w8m0000pqv3t5x7z9bd'

type Buy = (
  service: TestService,
  campaignId: string,
  body: object,
  token?: string,
) => Promise<Reply>

const PATHS: [string, Buy][] = [
  [
    'the campaign path',
    (service, campaignId, body, token) =>
      service.post(`/v1/campaign/${campaignId}/number/buy`, body, token ? { token } : {}),
  ],
  [
    'the number path',
    (service, campaign, body, token) =>
      service.post('/v1/number/buy', { ...body, campaign }, token ? { token } : {}),
  ],
]

for (const [path, buy] of PATHS) {
  test(`buying through ${path} assigns the number to the campaign and charges for the remaining days`, async (t) => {
    const service = await testService(t)
    const { campaignId } = await activeCampaign(service, periodOf(service, 15, 30))
    await addInventory(service, [{ number: NUMBER, monthlyPriceMicros: 1_500_000n }])
    const before = await service.balance()

    const { status, body } = await buy(service, campaignId, { number: NUMBER })
    assert.equal(status, 200)
    const { purchasedAt, ...number } = body.number
    assert.match(purchasedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(
      { ...body, number },
      {
        success: true,
        number: {
          phoneNumber: NUMBER,
          isDefault: true,
          status: 'ACTIVE',
          forwardNumber: null,
          forwardEnabled: false,
          formattedNumber: '(415) 555-0123',
          monthlyPrice: 1.5,
        },
        charged: 0.75,
      },
    )
    assert.equal(await service.balance(), before - 0.75)
    const { body: list } = await service.get(`/v1/campaign/${campaignId}/numbers`)
    assert.deepEqual(list, { numbers: [body.number] })
    assert.equal((await service.get('/v1/number/search')).status, 404)

    const again = await buy(service, campaignId, { number: NUMBER })
    assert.equal(again.status, 409)
    assert.deepEqual(again.body, {
      success: false,
      error: `You already own this number. It belongs to campaign ${campaignId}`,
      code: 'number_owned',
    })
    assert.equal(await service.balance(), before - 0.75)
  })

  test(`refusals through ${path} follow a fixed order, charge nothing, and leave the number for sale`, async (t) => {
    const service = await testService(t, { balance: '100' })
    const { campaignId } = await activeCampaign(service)
    const pending = await campaignIn(service, 'PENDING')
    const suspended = await campaignIn(service, 'SUSPENDED')
    const other = await service.otherAccount()
    const foreign = await activeCampaign(service, { accountId: other.accountId })
    const taken = await buyNumber(service, foreign.campaignId, { token: other.token })
    await addInventory(service, [
      NUMBER,
      { number: '+14155550199', monthlyPriceMicros: 900_000_000n },
    ])
    await addInventory(service, ['+18005550142'])
    const before = await service.balance()

    const rows: [
      campaignId: string,
      number: unknown,
      status: number,
      code: string,
      error: string,
    ][] = [
      [UNKNOWN_CAMPAIGN, undefined, 400, 'field_invalid', 'number is required'],
      [UNKNOWN_CAMPAIGN, '', 400, 'field_invalid', 'number is required'],
      [UNKNOWN_CAMPAIGN, null, 400, 'field_invalid', 'number is required'],
      ...[
        ' 4155550123',
        '4155550123',
        '14155550123',
        '+1415555012',
        '+1 415 555 0123',
        4155550123,
      ].map((number): [string, unknown, number, string, string] => [
        UNKNOWN_CAMPAIGN,
        number,
        400,
        'field_invalid',
        'number must be a phone number in E.164 format, for example +14155550123',
      ]),
      [UNKNOWN_CAMPAIGN, '+18005550142', 404, 'campaign_missing', 'Campaign not found'],
      [foreign.campaignId, NUMBER, 404, 'campaign_missing', 'Campaign not found'],
      ['cmp_', NUMBER, 404, 'campaign_missing', 'Campaign not found'],
      ['1;drop', NUMBER, 404, 'campaign_missing', 'Campaign not found'],
      [
        pending,
        '+18005550142',
        400,
        'number_toll_free',
        'Toll-free numbers cannot be bought through the API',
      ],
      [
        pending,
        taken,
        409,
        'campaign_state',
        'The campaign is PENDING. Buy numbers once it is ACTIVE',
      ],
      [
        suspended,
        NUMBER,
        409,
        'campaign_state',
        'The campaign is SUSPENDED. Buy numbers once it is ACTIVE',
      ],
      [
        campaignId,
        taken,
        409,
        'number_taken',
        'This number is no longer available. Search for another one.',
      ],
      [
        campaignId,
        '+14155550000',
        404,
        'number_not_for_sale',
        'This number is not for sale. Search for another one.',
      ],
      [campaignId, '+14155550199', 402, 'balance_insufficient', 'Insufficient account balance'],
    ]
    for (const [campaign, number, status, code, error] of rows) {
      const reply = await buy(service, campaign, { ...(number !== undefined && { number }) })
      const { details: _, ...body } = reply.body
      assert.deepEqual(
        { status: reply.status, body },
        { status, body: { success: false, error, code } },
        `${campaign} ${number}`,
      )
    }

    assert.equal(await service.balance(), before)
    assert.deepEqual((await service.get(`/v1/campaign/${campaignId}/numbers`)).body, {
      numbers: [],
    })
    const { body: search } = await service.get('/v1/number/search')
    assert.deepEqual(
      search.numbers.map((found: { number: string }) => found.number),
      [NUMBER, '+14155550199'],
    )
  })

  test(`an Idempotency-Key buys a number once through ${path}`, async (t) => {
    const service = await testService(t)
    const { campaignId } = await activeCampaign(service)
    await addInventory(service, [NUMBER])
    const url = path === PATHS[0]![0] ? `/v1/campaign/${campaignId}/number/buy` : '/v1/number/buy'
    const body = { number: NUMBER, campaign: campaignId }
    const headers = { 'idempotency-key': 'buy-1' }
    const before = await service.balance()

    const first = await service.post(url, body, { headers })
    const second = await service.post(url, body, { headers })
    assert.equal(first.status, 200)
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.deepEqual(second.body, first.body)
    assert.equal(await service.balance(), before - first.body.charged)
  })

  test(`errors before the purchase through ${path} include success: false`, async (t) => {
    const service = await testService(t)
    const { campaignId } = await activeCampaign(service)
    const url = path === PATHS[0]![0] ? `/v1/campaign/${campaignId}/number/buy` : '/v1/number/buy'
    const json = { 'content-type': 'application/json' }
    const reader = await service.tokenWith(['read'])
    const rows: [Reply, number, string][] = [
      [await service.post(url, { number: NUMBER }, { token: null }), 401, 'token_absent'],
      [await service.post(url, { number: NUMBER }, { token: 'lc_no' }), 401, 'token_unknown'],
      [await service.post(url, { number: NUMBER }, { token: reader }), 403, 'scope_absent'],
      [await service.post(url, '{"number":', { headers: json }), 400, 'json_broken'],
      [await service.post(url, '[]', { headers: json }), 400, 'body_invalid'],
      [
        await service.post(url, 'number=1', { headers: { 'content-type': 'text/plain' } }),
        415,
        'not_json',
      ],
    ]
    for (const [reply, status, code] of rows) {
      assert.equal(reply.status, status)
      assert.equal(reply.body.code, code)
      assert.equal(reply.body.success, false)
      assert.equal(typeof reply.body.error, 'string')
    }
  })
}

test('POST /v1/number/buy reports a missing number first, then a missing campaign', async (t) => {
  const service = await testService(t)
  for (const campaign of [undefined, null, '', '  ']) {
    const { status, body } = await service.post('/v1/number/buy', { number: NUMBER, campaign })
    assert.equal(status, 400)
    assert.equal(body.error, 'campaign is required')
    assert.deepEqual(body.details, [{ field: 'campaign', problem: 'is required' }])
  }
  const { body } = await service.post('/v1/number/buy', {})
  assert.equal(body.error, 'number is required')
})

test('only the first number of a campaign is its default', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const first = await buyNumber(service, campaignId)
  const second = await buyNumber(service, campaignId)
  const { body } = await service.get(`/v1/campaign/${campaignId}/numbers`)
  assert.deepEqual(
    body.numbers.map((number: { phoneNumber: string; isDefault: boolean }) => [
      number.phoneNumber,
      number.isDefault,
    ]),
    [
      [first, true],
      [second, false],
    ],
  )
})

test('a number bought after the renewal date costs nothing until the campaign renews', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service, periodOf(service, 31, 30))
  await addInventory(service, [NUMBER])
  const before = await service.balance()
  const { status, body } = await service.post(`/v1/campaign/${campaignId}/number/buy`, {
    number: NUMBER,
  })
  assert.equal(status, 200)
  assert.equal(body.charged, 0)
  assert.equal(await service.balance(), before)
})

test('a purchase succeeds when the balance exactly covers the remaining days', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount('0.50')
  const { campaignId } = await activeCampaign(service, {
    accountId: other.accountId,
    ...periodOf(service, 15, 30),
  })
  await addInventory(service, [NUMBER, '+14155550124'])
  const url = `/v1/campaign/${campaignId}/number/buy`
  const { token } = other
  assert.equal((await service.post(url, { number: NUMBER }, { token })).body.charged, 0.5)
  const short = await service.post(url, { number: '+14155550124' }, { token })
  assert.equal(short.status, 402)
})

test('a purchase adds one ledger entry that names the number', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, [NUMBER])
  const { body } = await service.post('/v1/number/buy', { number: NUMBER, campaign: campaignId })
  const rows = await service.world.db.query(sql`
    select reference, amount_micros as amount, campaign_id as campaign, to_ledger as ledger
    from ledger_transfers where reason = 'number_purchase'`)
  assert.deepEqual(rows, [
    {
      reference: `number_purchase:${NUMBER}:${body.number.purchasedAt}`,
      amount: 1_000_000n,
      campaign: campaignId,
      ledger: 'numbers',
    },
  ])
})

function periodOf(service: TestService, daysPassed: number, days: number) {
  const periodStart = new Date(service.world.clock.now().getTime() - daysPassed * DAY_MS)
  return { periodStart, renewsAt: new Date(periodStart.getTime() + days * DAY_MS) }
}

async function campaignIn(service: TestService, status: string): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  await service.world.db.query(sql`
    update campaigns set status = ${status} where id = ${campaignId}`)
  return campaignId
}
