// Brands and campaigns registered through a provider: submitted once, decided by the provider with reasons at their
// fields, corrected and resubmitted, limited by the networks, and what happens when the provider refuses us, is cut
// off, or does not respond.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRegistration, findUncarried } from '../../src/brands/registration-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { eventually, testService } from '../harness.js'
import { BRAND_BODY, CAMPAIGN_BODY, registeringService } from '../providers/registering.js'

const NETWORKS = {
  '10017': { mno: 'AT&T', tpm: 4500, mmsTpm: 2400 },
  '10035': { mno: 'T-Mobile', brandTier: 'TOP', brandDailyCap: 200_000 },
}

test('a brand and its campaign are registered at the provider once and get the carriers’ limits', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { registry } = fake
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  await until('brand', brandId, 'VERIFIED')
  const campaign = await until('campaign', campaignId, 'ACTIVE')
  assert.deepEqual(campaign.limits, { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2_000 })
  const { companyName, ein, vertical, mock, webhookURL } = registry.brand
  assert.deepEqual(
    [companyName, ein, vertical, mock],
    ['Blue Fern Bistro LLC', '123456789', 'HOSPITALITY', true],
  )
  assert.equal(
    webhookURL,
    `https://sms.ours.test/carrier/upstream/registration/${service.accountId}/${brandId}`,
  )
  const there = registry.campaign
  assert.equal(there.referenceId, campaignId)
  assert.equal(there.brandId, registry.brand.brandId)
  assert.equal(there.messageFlow, CAMPAIGN_BODY.consentFlow)
  assert.equal(
    there.optoutKeywords,
    'STOP,STOPALL,STOP ALL,UNSUBSCRIBE,CANCEL,END,QUIT,REVOKE,OPTOUT,OPT OUT,OPT-OUT',
  )
  assert.equal(there.termsAndConditionsLink, BRAND_BODY.termsLink)
  assert.deepEqual([registry.brands.size, registry.campaigns.size], [1, 1])

  // The networks change their mind, and a callback reports it immediately.
  registry.networks.set(there.campaignId, NETWORKS)
  assert.equal(await fake.notifyRegistration('campaign', there.campaignId), 200)
  await eventually(async () => {
    const { limits } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
    return limits.smsTpmAtt === 4500 && limits.mmsTpmAtt === 2400 && limits.dailyTmoCap === 200_000
  }, 'the networks’ limits')
})

test('a campaign that waits for its brand is submitted as soon as the brand is verified', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { registry } = fake
  const { world, accountId } = service
  registry.brandsAre = { status: 'OK', identityStatus: 'UNVERIFIED' }
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  await eventually(async () => registry.brands.size === 1, 'it is registered')
  await eventually(async () => {
    const waiting = await findRegistration(world.db, { accountId, recordId: campaignId })
    return waiting!.attempts > 0
  }, 'the campaign waits')
  // After hours of review, the next check is far away.
  const later = new Date(world.clock.nowMs() + 3_600_000)
  await world.db.query(sql`
    update registrations set due_at = ${later}
    where account_id = ${accountId} and record_id = ${campaignId}`)
  assert.equal(registry.campaigns.size, 0)
  registry.brand.identityStatus = 'VERIFIED'
  await fake.notifyRegistration('brand', registry.brand.brandId)
  await until('brand', brandId, 'VERIFIED')
  await until('campaign', campaignId, 'ACTIVE')
})

test('a network that does not carry a campaign yet is shown to the operator and the customer until it does', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { registry } = fake
  const { db } = service.world
  const campaignId = await submitCampaign(await submitBrand())
  await until('campaign', campaignId, 'ACTIVE')
  const { campaignId: id } = registry.campaign
  const untilFound = (networks: string | null) =>
    eventually(async () => (await findUncarried(db)).networks === networks, `${networks}`)
  await untilFound(null)
  registry.carried.set(id, { '10017': 'APPROVED', '10035': 'REVIEW' })
  await fake.notifyRegistration('campaign', id)
  await untilFound('T-Mobile: REVIEW')
  assert.equal((await findUncarried(db)).recordId, campaignId)
  const { status } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
  assert.equal(status, 'ACTIVE', 'other networks carry it')
  const told = async () => (await service.get(`/v1/campaign/${campaignId}/limits`)).body
  assert.deepEqual((await told()).notCarriedBy, ['T-Mobile: REVIEW'])
  const key = { accountId: service.accountId, recordId: campaignId }
  const before = (await findRegistration(db, key))!
  registry.carried.set(id, { '10017': 'APPROVED', '10035': 'REJECTED' })
  await fake.notifyRegistration('campaign', id)
  await untilFound('T-Mobile: REJECTED')
  const after = (await findRegistration(db, key))!
  assert.deepEqual(after.since, before.since, 'since its registration, not since the last check')
  registry.carried.set(id, { '10017': 'APPROVED', '10035': 'APPROVED' })
  await fake.notifyRegistration('campaign', id)
  await untilFound(null)
  assert.ok(!('notCarriedBy' in (await told())))
})

test('limits and scores are checked each day without a callback', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until, advance } = await registeringService(t)
  const { registry } = fake
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  await until('campaign', campaignId, 'ACTIVE')
  registry.brand.identityStatus = 'VETTED_VERIFIED'
  registry.vettings.set(registry.brand.brandId, [
    { vettingScore: 40, vettedDate: '2026-01-01T00:00:00Z' },
    { vettingScore: 81, vettedDate: '2026-11-01T00:00:00Z' },
    { vettingScore: 99 },
  ])
  registry.networks.set(registry.campaign.campaignId, { '10035': { brandDailyCap: 123_456 } })
  await advance(25 * 60 * 60)
  const vetted = await until('brand', brandId, 'VETTED')
  assert.equal(vetted.trustScore, 81)
  await eventually(async () => {
    const { limits } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
    return limits.dailyTmoCap === 123_456 && limits.smsTpmAtt === 4500
  }, 'by the score, and by the network if it reports one')
})

test('a refused brand gets the reasons at its fields and is corrected there, not created twice', async (t) => {
  const { service, fake, submitBrand, until, advance } = await registeringService(t)
  const { registry } = fake
  registry.brandsAre = { status: 'OK', identityStatus: 'UNVERIFIED' }
  const brandId = await submitBrand()
  await eventually(async () => registry.brands.size === 1, 'it is registered')
  const id = registry.brand.brandId
  const reads = () => fake.requests.filter(({ path }) => path.endsWith(`/feedback/${id}`)).length
  await eventually(async () => reads() >= 2, 'unverified is not a refusal while the review runs')
  assert.equal((await service.get(`/v1/brand/${brandId}`)).body.brand.status, 'PENDING')
  registry.feedback.set(id, [
    { id: 'TAX_ID', fields: ['ein', 'companyName'], description: 'No such company.' },
  ])
  await fake.notifyRegistration('brand', id)
  const refused = await until('brand', brandId, 'UNVERIFIED')
  assert.deepEqual(refused.reviewNotes, [
    { field: 'ein', note: 'No such company.' },
    { field: 'entityName', note: 'No such company.' },
  ])

  await service.call('PATCH', `/v1/brand/${brandId}`, { ein: '98-7654321' })
  assert.equal((await service.post(`/v1/brand/${brandId}/submit`)).status, 200)
  await eventually(async () => registry.revets.length === 1, 'verified again')
  assert.equal(registry.brand.ein, '987654321')
  await fake.notifyRegistration('brand', id)
  const before = reads()
  await eventually(async () => reads() > before, 'the old refusal is not a new one')
  assert.equal((await service.get(`/v1/brand/${brandId}`)).body.brand.status, 'PENDING')
  registry.feedback.delete(id)
  registry.brand.identityStatus = 'VERIFIED'
  await advance(900)
  await until('brand', brandId, 'VERIFIED')
  assert.equal(registry.brands.size, 1)
})

test('a brand that the registry rejects completely gets its reasons, and waits while there are none', async (t) => {
  const { service, fake, submitBrand, until, advance } = await registeringService(t)
  const { registry } = fake
  registry.brandsAre = { status: 'REGISTRATION_FAILED' }
  const brandId = await submitBrand()
  const reads = () =>
    fake.requests.filter(
      ({ method, path }) => method === 'GET' && path.endsWith(`/brand/${registry.brand?.brandId}`),
    ).length
  await eventually(async () => reads() >= 2, 'its state is read')
  assert.equal((await service.get(`/v1/brand/${brandId}`)).body.brand.status, 'PENDING')
  registry.brand.failureReasons = 'Tax ID unknown'
  await advance(900)
  const refused = await until('brand', brandId, 'UNVERIFIED')
  assert.deepEqual(refused.reviewNotes, [{ field: 'ein', note: 'Tax ID unknown' }])
})

test('fields that a provider needs beyond the contract are requested by name, and only if one registers', async (t) => {
  const { service, submitBrand, until } = await registeringService(t)
  const { vertical: _, ...lacking } = BRAND_BODY
  const refused = await service.post('/v1/brand/create', lacking)
  assert.equal(refused.status, 400)
  assert.match(refused.body.error, /^vertical is required to register .*: the industry .* RETAIL/)
  const { termsLink: __, ...linkless } = BRAND_BODY
  const { body: said } = await service.post('/v1/brand/create', linkless)
  assert.match(said.error, /^termsLink is required .*terms and conditions$/)
  const odd = await service.post('/v1/brand/create', { ...BRAND_BODY, vertical: 'BAKERY' })
  assert.match(odd.body.error, /^vertical must be one of AGRICULTURE/)
  const brandId = await submitBrand()
  const { sample2: ___, ...single } = { ...CAMPAIGN_BODY, brandId }
  for (const call of ['create', 'check']) {
    const { status, body } = await service.post(`/v1/campaign/${call}`, single)
    assert.equal(status, 400)
    assert.match(body.error, /^sample2 is required .*: a second message as you will send it$/)
  }
  await until('brand', brandId, 'VERIFIED')
  const session = await service.app.inject({ method: 'GET', url: '/console/session' })
  assert.deepEqual(session.json().asks, {
    brand: ['vertical', 'privacyLink', 'termsLink'],
    campaign: ['sample1', 'sample2'],
  })

  const plain = await testService(t)
  assert.equal((await plain.post('/v1/brand/create', lacking)).status, 200)
  const none = await plain.app.inject({ method: 'GET', url: '/console/session' })
  assert.deepEqual(none.json().asks, { brand: [], campaign: [] })
})

test('a default industry of the link serves brands without one', async (t) => {
  const { fake, submitBrand, until } = await registeringService(t, {
    registration: '      vertical: RETAIL\n',
  })
  const brandId = await submitBrand({ vertical: null })
  const brand = await until('brand', brandId, 'VERIFIED')
  assert.equal(fake.registry.brand.vertical, 'RETAIL')
  assert.equal(fake.registry.brand.mock, undefined)
  assert.equal(brand.vertical, undefined)
})

test('a field that the provider refuses becomes a note, whatever the form of its failure', async (t) => {
  const { fake, submitBrand, until } = await registeringService(t)
  const detail = [{ loc: ['body', 'companyName'], msg: 'is too long', type: 'value_error' }]
  const { mishaps } = fake.numbers
  mishaps.push({ on: /^POST .*10dlc\/brand$/, what: { status: 422, body: { detail } } })
  const first = await until('brand', await submitBrand(), 'UNVERIFIED')
  assert.deepEqual(first.reviewNotes, [{ field: 'entityName', note: 'is too long' }])
  const pointer = '/body/email'
  const errors = [{ code: '10015', title: 'Bad', detail: 'No such mailbox', source: { pointer } }]
  mishaps.push({ on: /^POST .*10dlc\/brand$/, what: { status: 400, body: { errors } } })
  const second = await until('brand', await submitBrand(), 'UNVERIFIED')
  assert.deepEqual(second.reviewNotes, [{ field: 'email', note: 'No such mailbox' }])
  assert.equal(fake.registry.brands.size, 0)
})

test('lost requests and responses still register one brand and one campaign', async (t) => {
  const { fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { mishaps } = fake.numbers
  const postBrand = /^POST .*10dlc\/brand$/
  const postCampaign = /^POST .*campaignBuilder$/
  for (const on of [postBrand, postCampaign]) {
    mishaps.push({ on, what: 'cut' }) // never accepted: submitted again
    mishaps.push({ on, what: '500 after taking' }) // accepted: found by its reference
  }
  // The host's account there has a brand of the same name, registered by another installation.
  const { displayName } = BRAND_BODY
  const webhookURL = 'https://other.test/carrier/upstream/registration/acc_1/brd_1'
  const foreign = { brandId: 'foreign', displayName, webhookURL }
  fake.registry.brands.set('foreign', { ...foreign, status: 'OK', identityStatus: 'VERIFIED' })
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  await until('brand', brandId, 'VERIFIED')
  await until('campaign', campaignId, 'ACTIVE')
  assert.deepEqual([fake.registry.brands.size, fake.registry.campaigns.size], [2, 1])
  const posts = fake.requests.filter(
    ({ method, path }) => method === 'POST' && /10dlc\/(?:brand|campaignBuilder)$/.test(path),
  )
  assert.equal(posts.length, 4)
  assert.deepEqual(mishaps, [])
})

test('a refused key or an empty balance at the provider fails no brand and notifies the operator', async (t) => {
  const { service, fake, submitBrand, until, advance } = await registeringService(t)
  const { mishaps } = fake.numbers
  const refusals = [
    { status: 401, body: { errors: [{ code: '10009', title: 'Authentication failed' }] } },
    { status: 400, body: { errors: [{ code: '20100', title: 'Insufficient funds' }] } },
    { status: 429, body: {} },
  ]
  const on = /^POST .*10dlc\/brand$/
  for (let i = 0; i < 200; i++) mishaps.push({ on, what: refusals[i % 3]! })
  const brandId = await submitBrand()
  await eventually(async () => mishaps.length < 197, 'it was attempted several times')
  await advance(11 * 60)
  await eventually(async () => {
    const { body } = await service.get('/metrics', { token: OPERATOR_TOKEN })
    return /^longcode_registrations_stuck 1$/m.test(String(body))
  }, 'the metric reports it')
  assert.equal((await service.get(`/v1/brand/${brandId}`)).body.brand.status, 'PENDING')
  mishaps.length = 0
  await advance(300)
  await until('brand', brandId, 'VERIFIED')
  assert.equal(fake.registry.brands.size, 1)
})

test('a returned campaign is corrected in place if possible, else ended there and submitted again', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { registry } = fake
  registry.campaignsAre = {
    campaignStatus: 'TELNYX_FAILED',
    failureReasons: 'Sample 2 does not name the brand.',
  }
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  const returned = await until('campaign', campaignId, 'DRAFT')
  assert.deepEqual(returned.reviewNotes, [
    { field: 'sample2', note: 'Sample 2 does not name the brand.' },
  ])
  const fix = async (change: object) => {
    const { status } = await service.call('PATCH', `/v1/campaign/${campaignId}`, change)
    assert.equal(status, 200)
    assert.equal((await service.post(`/v1/campaign/${campaignId}/submit`)).status, 200)
  }
  await fix({ sample2: 'Blue Fern Bistro: your table is ready. Reply STOP to opt out.' })
  await eventually(async () => registry.appeals.length === 1, 'appealed for')
  assert.match(registry.appeals[0]!.reason, /Fixed: sample2/)
  assert.equal(registry.campaigns.size, 1)

  // The next refusal is about a field that cannot be changed there.
  registry.campaign.campaignStatus = 'MNO_REJECTED'
  registry.campaign.failureReasons = 'The description is unclear.'
  await fake.notifyRegistration('campaign', registry.campaign.campaignId)
  await until('campaign', campaignId, 'DRAFT')
  const first = registry.campaign
  registry.campaignsAre = { campaignStatus: 'MNO_PROVISIONED' }
  await fix({
    description: 'Reminders of tables that guests of the bistro have booked online.',
  })
  await until('campaign', campaignId, 'ACTIVE')
  assert.equal(first.status, 'EXPIRED', 'one at a time')
  assert.equal(registry.campaign.referenceId, `${campaignId}-2`)
  assert.equal(registry.campaigns.size, 2)
})

test('a campaign is suspended and resumed with the registry, and ends there when it ends here', async (t) => {
  const { service, fake, submitBrand, submitCampaign, until } = await registeringService(t)
  const { registry } = fake
  const brandId = await submitBrand()
  const campaignId = await submitCampaign(brandId)
  await until('campaign', campaignId, 'ACTIVE')
  const { campaignId: id } = registry.campaign
  registry.campaign.campaignStatus = 'TCR_SUSPENDED'
  await fake.notifyRegistration('campaign', id)
  const { suspendedFor } = await until('campaign', campaignId, 'SUSPENDED')
  assert.equal(suspendedFor, 'registry')
  registry.campaign.campaignStatus = 'MNO_PROVISIONED'
  await fake.notifyRegistration('campaign', id)
  await until('campaign', campaignId, 'ACTIVE')
  assert.equal(
    (await service.post(`/v1/campaign/${campaignId}/end`, { confirm: campaignId })).status,
    200,
  )
  await eventually(async () => registry.campaign.status === 'EXPIRED', 'it is no longer billed')
  await eventually(async () => {
    const rows = await service.world.db.query(
      sql`select from registrations where kind = 'campaign'`,
    )
    return rows.length === 0
  }, 'nothing is left to do')
})

test('a campaign that ends while it waits for its brand is not looked up at the registry', async (t) => {
  const { service, fake, submitBrand, submitCampaign } = await registeringService(t)
  const { registry } = fake
  registry.brandsAre = { status: 'OK', identityStatus: 'UNVERIFIED' }
  const campaignId = await submitCampaign(await submitBrand())
  await eventually(async () => registry.brands.size === 1, 'the brand is registered')
  const ended = await service.post(`/v1/campaign/${campaignId}/end`, { confirm: campaignId })
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  await eventually(async () => {
    const rows = await service.world.db.query(
      sql`select from registrations where kind = 'campaign'`,
    )
    return rows.length === 0
  }, 'nothing is left to do')
  assert.deepEqual(
    fake.requests.filter(({ path }) => /campaign/i.test(path)),
    [],
  )
})

test('forged, foreign, or repeated callbacks change nothing', async (t) => {
  const { service, fake, submitBrand, until } = await registeringService(t)
  const brandId = await submitBrand()
  await until('brand', brandId, 'VERIFIED')
  const { brandId: id } = fake.registry.brand
  const url = `/carrier/upstream/registration/${service.accountId}/${brandId}`
  const payload = JSON.stringify({ data: { event_type: '10dlc.brand.update', payload: {} } })
  const forged = await service.app.inject({ method: 'POST', url, payload })
  assert.equal(forged.statusCode, 403)
  const { db } = service.world
  const dueAt = async () => {
    const found = await findRegistration(db, { accountId: service.accountId, recordId: brandId })
    return found!.dueAt!.getTime()
  }
  const isAtRest = async () => (await dueAt()) > Date.now() + 3_600_000
  await eventually(isAtRest, 'the check of the next day')
  const move = (link: string) =>
    db.query(sql`
      update registrations set link = ${link}
      where account_id = ${service.accountId} and record_id = ${brandId}`)
  await move('elsewhere')
  assert.equal(await fake.notifyRegistration('brand', id), 200)
  assert.ok(await isAtRest(), 'a callback of a link that does not register it anymore')
  await move('upstream')
  assert.deepEqual(
    [await fake.notifyRegistration('brand', id), await fake.notifyRegistration('brand', id)],
    [200, 200],
  )
  fake.registry.brand.webhookURL = `${String(fake.registry.brand.webhookURL).slice(0, -3)}000`
  assert.equal(await fake.notifyRegistration('brand', id), 200, 'an unknown record')
  assert.equal((await service.get(`/v1/brand/${brandId}`)).body.brand.status, 'VERIFIED')
})
