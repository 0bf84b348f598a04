// POST /v1/campaign/create: required fields, the forms of a use case, the fee, and the reply.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { type Reply, type TestService, testService } from '../harness.js'
import { CAMPAIGN_BODY, newBrand } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

const create = (service: TestService, body: unknown): Promise<Reply> =>
  service.post('/v1/campaign/create', body)

async function countCampaigns(service: TestService): Promise<number> {
  const [row] = await service.world.db.query<{ count: number }>(
    sql`select count(*)::int as count from campaigns`,
  )
  return row!.count
}

test('a created campaign is PENDING, and the reply has every field of the contract', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const given = { ...CAMPAIGN_BODY, brandId, displayName: 'Offers', sample3: 'Third', sample5: '' }
  const { status, body } = await create(service, given)
  assert.equal(status, 200)
  const { id, createdAt } = body.campaign
  assert.match(id, /^cmp_[0-9a-z]{26}$/)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const campaign = {
    id,
    brandId,
    displayName: 'Offers',
    createdAt,
    updatedAt: createdAt,
    status: 'PENDING',
    monthlyFee: null,
    usecase: 'MARKETING',
    subUsecases: [],
    details: {
      description: CAMPAIGN_BODY.description,
      consentFlow: CAMPAIGN_BODY.consentFlow,
      sample1: CAMPAIGN_BODY.sample1,
      sample2: CAMPAIGN_BODY.sample2,
      sample3: 'Third',
      sample4: null,
      sample5: null,
      optinKeywords: ['START', 'YES', 'UNSTOP'],
      optoutKeywords: [
        'STOP',
        'STOPALL',
        'STOP ALL',
        'UNSUBSCRIBE',
        'CANCEL',
        'END',
        'QUIT',
        'REVOKE',
        'OPTOUT',
        'OPT OUT',
        'OPT-OUT',
      ],
      helpKeywords: ['HELP', 'INFO'],
      optinMessage:
        'Acme Coffee: You will now receive our messages. Frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to opt out.',
      optoutMessage:
        'Acme Coffee: You have opted out and will receive no more messages. Reply START to opt in again.',
      helpMessage:
        'Acme Coffee: Reply STOP to opt out. Msg & data rates may apply. For help: https://acme.example',
    },
    limits: { smsTpmAtt: null, mmsTpmAtt: null, dailyTmoCap: null },
    limitsSetByOperator: false,
    isLowVolume: false,
    holdAtDailyCap: false,
    actsOnNearOptout: true,
    renewsAt: null,
    reviewNotes: [],
  }
  assert.deepEqual(body.campaign, campaign)
  assert.deepEqual((await service.get(`/v1/campaign/${id}`)).body, { campaign })
})

test('only four fields are required, and the others have defaults', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service, { displayName: null })
  const { usecase, description, consentFlow } = CAMPAIGN_BODY
  const { status, body } = await create(service, { brandId, usecase, description, consentFlow })
  assert.equal(status, 200)
  assert.equal(body.campaign.displayName, 'Acme Coffee LLC: Marketing')
  assert.equal(body.campaign.isLowVolume, false)
  assert.equal('screenshotUrl' in body.campaign.details, false)
  for (const name of ['sample1', 'sample2', 'sample3', 'sample4', 'sample5']) {
    assert.equal(body.campaign.details[name], null)
  }
})

test('optional fields are stored, and may be null', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const screenshotUrl = 'https://acme.example/consent.png'
  const full = await create(service, {
    ...CAMPAIGN_BODY,
    brandId,
    screenshotUrl,
    isLowVolume: true,
  })
  assert.equal(full.body.campaign.details.screenshotUrl, screenshotUrl)
  assert.equal(full.body.campaign.isLowVolume, true)
  const nulls = { displayName: null, screenshotUrl: null, sample1: null, sample4: null }
  const { body } = await create(service, { ...CAMPAIGN_BODY, brandId, ...nulls })
  assert.equal(body.campaign.displayName, 'Acme Coffee: Marketing')
  assert.equal(body.campaign.details.sample1, null)
})

test('a use case is accepted in three forms and returned as a string', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const brandId = await newBrand(service)
  const mixed = ['MIXED', ['MARKETING', 'CUSTOMER_CARE']]
  const cases: [unknown, unknown, unknown][] = [
    ['2FA', undefined, ['2FA', []]],
    [['POLLING_VOTING'], undefined, ['POLLING_VOTING', []]],
    [{ FRAUD_ALERT: 'alerts' }, undefined, ['FRAUD_ALERT', []]],
    [['MARKETING', 'CUSTOMER_CARE'], undefined, mixed],
    [{ MARKETING: 'offers', CUSTOMER_CARE: 'answers' }, undefined, mixed],
    ['MIXED', ['MARKETING', 'CUSTOMER_CARE'], mixed],
  ]
  for (const [usecase, subUsecases, expected] of cases) {
    const { body } = await create(service, { ...CAMPAIGN_BODY, brandId, usecase, subUsecases })
    assert.equal(body.success, true)
    assert.deepEqual([body.campaign.usecase, body.campaign.subUsecases], expected)
  }
})

test('creation charges $20.00 once, with its reason and reference', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const { body } = await create(service, { ...CAMPAIGN_BODY, brandId })
  assert.equal(await service.balance(), 80)
  const transfers = await service.world.db.query(sql`
    select reason, reference, amount_micros as "amountMicros", campaign_id as "campaignId"
    from ledger_transfers where account_id = ${service.accountId} and reason <> 'credit'`)
  const { id } = body.campaign
  assert.deepEqual(transfers, [
    {
      reason: 'campaign_creation',
      reference: `campaign_creation:${id}`,
      amountMicros: 20_000_000n,
      campaignId: id,
    },
  ])
})

test('creation with too low a balance is refused, stores nothing, and charges nothing', async (t) => {
  const service = await testService(t, { balance: '19.999999' })
  const brandId = await newBrand(service)
  const { status, body } = await create(service, { ...CAMPAIGN_BODY, brandId })
  assert.equal(status, 402)
  assert.deepEqual(body, {
    success: false,
    error: 'Insufficient account balance',
    code: 'balance_insufficient',
  })
  assert.equal(await service.balance(), 19.999999)
  assert.equal(await countCampaigns(service), 0)
})

test('concurrent creations succeed only as far as the balance covers them', async (t) => {
  const service = await testService(t, { balance: '65' })
  const brandId = await newBrand(service)
  const body = { ...CAMPAIGN_BODY, brandId }
  const replies = await Promise.all(Array.from({ length: 8 }, () => create(service, body)))
  const statuses = replies.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [200, 200, 200, 402, 402, 402, 402, 402])
  assert.equal(await service.balance(), 5)
  assert.equal(await countCampaigns(service), 3)
})

test('an Idempotency-Key creates one campaign and charges one fee', async (t) => {
  const service = await testService(t)
  const body = { ...CAMPAIGN_BODY, brandId: await newBrand(service) }
  const headers = { 'idempotency-key': 'campaign-1' }
  const first = await service.post('/v1/campaign/create', body, { headers })
  const second = await service.post('/v1/campaign/create', body, { headers })
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(await service.balance(), 80)
})

test('missing fields are reported before a low balance', async (t) => {
  const service = await testService(t, { balance: '0' })
  const full: Record<string, unknown> = { ...CAMPAIGN_BODY, brandId: await newBrand(service) }
  for (const name of ['brandId', 'usecase', 'description', 'consentFlow']) {
    for (const value of [undefined, null, '', ' ']) {
      const { status, body } = await create(service, { ...full, [name]: value })
      assert.equal(status, 400)
      assert.equal(body.error, `${name} is required`)
      assert.deepEqual(body.details, [{ field: name, problem: 'is required' }])
    }
  }
  for (const usecase of [[], {}]) {
    assert.equal((await create(service, { ...full, usecase })).body.error, 'usecase is required')
  }
  const nothing = await create(service, {})
  assert.equal(nothing.body.error, 'brandId is required')
  assert.equal(nothing.body.details.length, 4)
})

const USECASE_LIST =
  '2FA, ACCOUNT_NOTIFICATION, CUSTOMER_CARE, DELIVERY_NOTIFICATION, FRAUD_ALERT, MARKETING, POLLING_VOTING, SECURITY_ALERT, HIGHER_EDUCATION, K12_EDUCATION'

const USECASE_EXPECTS =
  'usecase must be a use case, a list of use cases, or an object with use cases as keys and strings as values'

const REFUSED: [Record<string, unknown>, string][] = [
  [{ usecase: 'FISHING' }, `usecase FISHING is unknown. Use ${USECASE_LIST}`],
  [{ usecase: ['MARKETING', 'X'] }, `usecase X is unknown. Use ${USECASE_LIST}`],
  [{ usecase: { X: '' } }, `usecase X is unknown. Use ${USECASE_LIST}`],
  [{ usecase: 7 }, USECASE_EXPECTS],
  [{ usecase: [7] }, USECASE_EXPECTS],
  [{ usecase: { MARKETING: 5 } }, USECASE_EXPECTS],
  [{ usecase: { MARKETING: null } }, USECASE_EXPECTS],
  [{ usecase: 'MIXED' }, 'subUsecases must list the use cases if usecase is MIXED'],
  [{ subUsecases: ['X'] }, `subUsecases X is unknown. Use ${USECASE_LIST}`],
  [{ subUsecases: 'X' }, 'subUsecases must be a list'],
  [{ brandId: 7 }, 'brandId must be a string'],
  [{ description: 'x'.repeat(4097) }, 'description must be at most 4096 characters'],
  [{ consentFlow: ['x'] }, 'consentFlow must be a string'],
  [{ displayName: 7 }, 'displayName must be a string or null'],
  [
    { screenshotUrl: 'shot.png' },
    'screenshotUrl must be a web address such as https://www.example.com',
  ],
  [
    { screenshotUrl: 'https://a.b:99999' },
    'screenshotUrl must be a web address such as https://www.example.com',
  ],
  [{ sample1: 7 }, 'sample1 must be a string or null'],
  [{ sample5: 'x'.repeat(1501) }, 'sample5 must be at most 1500 characters'],
  [{ isLowVolume: 'yes' }, 'isLowVolume must be true or false'],
]

test('malformed fields are refused by name, and nothing is charged', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  for (const [given, error] of REFUSED) {
    const { status, body } = await create(service, { ...CAMPAIGN_BODY, brandId, ...given })
    assert.equal(status, 400, error)
    assert.equal(body.error, error)
    assert.equal(body.success, false)
  }
  assert.equal(await service.balance(), 100)
  assert.equal(await countCampaigns(service), 0)
})

test('an unknown brand or another account’s brand returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const foreign = await newBrand(service, {}, other)
  for (const brandId of [foreign, newId('brd', new Date()), 'x', "' or true", '😀']) {
    const { status, body } = await create(service, { ...CAMPAIGN_BODY, brandId })
    assert.equal(status, 404)
    assert.deepEqual(body, { success: false, error: 'Brand not found', code: 'brand_missing' })
  }
  assert.equal(await service.balance(), 100)
})

test('a draft brand must be submitted first', async (t) => {
  const service = await testService(t)
  const brandId = (await service.post('/v1/brand/draft', {})).body.brand.id
  const { status, body } = await create(service, { ...CAMPAIGN_BODY, brandId })
  assert.equal(status, 409)
  assert.equal(body.error, 'The brand is a DRAFT. Submit it before its campaigns.')
  assert.equal(await service.balance(), 100)
})

test('fields that clients cannot set are ignored', async (t) => {
  const service = await testService(t)
  const given = {
    status: 'ACTIVE',
    id: 'mine',
    isFeePaid: true,
    accountId: 'acc_1',
    monthlyFeeMicros: 1,
    smsTpmAtt: 9999,
    reviewNotes: [{ field: 'x', note: 'y' }],
    createdAt: '2001-01-01T00:00:00.000Z',
  }
  const body = { ...CAMPAIGN_BODY, brandId: await newBrand(service), ...given }
  const { campaign } = (await create(service, body)).body
  assert.equal(campaign.status, 'PENDING')
  assert.match(campaign.id, /^cmp_/)
  assert.equal(campaign.monthlyFee, null)
  assert.equal(campaign.limits.smsTpmAtt, null)
  assert.deepEqual(campaign.reviewNotes, [])
  assert.doesNotMatch(campaign.createdAt, /^2001/)
  assert.equal(await service.balance(), 80)
})

test('problems a reviewer would refuse are returned as warnings, and the campaign is still created', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const good = await create(service, { ...CAMPAIGN_BODY, brandId })
  assert.deepEqual(good.body.warnings, [])
  const { body } = await create(service, { ...CAMPAIGN_BODY, brandId, description: 'Offers' })
  assert.equal(body.success, true)
  assert.deepEqual(body.warnings, [
    {
      field: 'description',
      problem: 'is shorter than 40 characters, which reviewers consider vague',
      remedy: 'Describe who sends, to whom, about what, and how often.',
    },
  ])
})

test('errors before the campaign is validated include success: false', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: '/v1/campaign/create',
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})
