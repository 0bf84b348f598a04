// /operator/v1/number/…, /webhook/…, /campaign/{id}/optouts, and /audit/list: other operator routes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { disableWebhook } from '../../src/webhooks/disable-webhook.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { operatedService } from './operator-service.js'

test('numbers are imported from CSV, offered to customers, and withdrawn', async (t) => {
  const service = await operatedService(t)
  const csv =
    'number,monthlyPrice,location\r\n+14152004000,1.25,"San Francisco, CA"\r\n+14152004001,2,\r\n'
  const imported = await service.operate('POST', '/number/import', { csv })
  assert.deepEqual(imported.body, { success: true, imported: 2 })
  const found = await service.get('/v1/number/search?areaCode=415')
  assert.deepEqual(found.body.numbers[0], {
    number: '+14152004000',
    formattedNumber: '(415) 200-4000',
    location: 'San Francisco, CA',
    monthlyPrice: 1.25,
  })
  const counted = await service.operate('GET', '/number/count')
  assert.deepEqual(counted.body, {
    forSale: 2,
    taken: 0,
    areaCodes: [
      {
        areaCode: '415',
        location: 'San Francisco, CA',
        forSale: 2,
        taken: 0,
        monthlyPriceFrom: 1.25,
      },
    ],
  })
  const numbers = ['+14152004000', '+14152004001']
  const withdrawn = await service.operate('POST', '/number/withdraw', { numbers })
  assert.deepEqual(withdrawn.body, { success: true, withdrawn: 2 })
  assert.equal((await service.get('/v1/number/search?areaCode=415')).status, 404)
  assert.deepEqual(
    (await service.audit()).map(({ act, before, after }) => [act, before, after]),
    [
      ['number.withdraw', { numbers }, null],
      ['number.import', null, { count: 2, first: numbers[0], last: numbers[1] }],
    ],
  )
})

test('30,000 numbers are imported in parts, and a part can be sent twice', async (t) => {
  const service = await operatedService(t)
  const partOf = (first: number) =>
    [
      'number,monthlyPrice,location',
      ...Array.from({ length: 5_000 }, (_, i) => `+1415${first + i},1.00,"San Francisco, CA"`),
    ].join('\n')
  // Like a real client: a part that got 503 is sent again.
  const importPart = async (csv: string): Promise<number> => {
    const { status, body } = await service.operate('POST', '/number/import', {
      csv,
      existing: 'skip',
    })
    if (status === 503) return importPart(csv)
    assert.equal(status, 200, JSON.stringify(body))
    return Number(body.imported) + Number(body.skipped)
  }
  for (let part = 0; part < 6; part += 1) {
    assert.equal(await importPart(partOf(2_000_000 + 5_000 * part)), 5_000)
  }
  const csv = partOf(2_027_500)
  assert.equal(await importPart(csv), 5_000)
  const refused = await service.operate('POST', '/number/import', { csv })
  assert.equal(refused.body.code, 'numbers_unusable')
  const { body: stock } = await service.operate('GET', '/number/count')
  assert.equal(stock.forSale, 32_500)
})

test('a file with a bad row changes nothing, and every bad row is reported', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  const held = await buyNumber(service, campaignId)
  const taken = (await service.operate('GET', '/number/count')).body
  assert.deepEqual([taken.forSale, taken.taken, taken.areaCodes[0].monthlyPriceFrom], [0, 1, null])
  await addInventory(service, ['+14152009999'])
  const csv = [
    'number,monthlyPrice',
    '+14152004000,1',
    '+14152009999,1',
    `${held},1`,
    'what,1',
    '+14152004000,1',
  ].join('\n')
  const { status, body } = await service.operate('POST', '/number/import', { csv })
  assert.equal(status, 400)
  assert.deepEqual(body, {
    success: false,
    error:
      'Nothing was changed, because 4 rows cannot be used. row 3: +14152009999 is already for sale',
    code: 'numbers_unusable',
    details: [
      { field: 'row 3', problem: '+14152009999 is already for sale' },
      { field: 'row 4', problem: `${held} is in use by a campaign` },
      {
        field: 'row 5',
        problem: '"what" must be a phone number in E.164 format, for example +14155550123',
      },
      { field: 'row 6', problem: '+14152004000 is already in row 2' },
    ],
  })
  const left = await service.world.db.query(sql`
    select 1 from number_inventory where phone_number = '+14152004000'`)
  assert.deepEqual(left, [])
  const numbers = ['+14152009999', held, '+14152001234']
  const withdraw = await service.operate('POST', '/number/withdraw', { numbers })
  assert.deepEqual(withdraw.body.details, [
    {
      field: 'numbers[1]',
      problem: `${held} is in use by a campaign. Release it first`,
    },
    { field: 'numbers[2]', problem: '+14152001234 is not for sale' },
  ])
  const kept = await service.world.db.query(sql`
    select 1 from number_inventory where phone_number = '+14152009999'`)
  assert.equal(kept.length, 1)
  assert.deepEqual(await service.audit(), [])
})

test('disabled webhooks are listed and can be enabled again', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  const created = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes: ['message.status'],
  })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const { id } = created.body.webhook
  assert.deepEqual((await service.operate('GET', '/webhook/list')).body.webhooks, [])
  await disableWebhook(service.world, service.accountId, id, 'gone')
  const { body: disabled } = await service.operate(
    'GET',
    `/webhook/list?account=${service.accountId}`,
  )
  const { updatedAt, ...webhook } = disabled.webhooks[0]
  assert.deepEqual(webhook, {
    id,
    accountId: service.accountId,
    campaignId,
    name: null,
    url: 'https://example.com/hook',
    enabled: false,
    disabledReason: 'The endpoint returned 410 Gone',
  })
  const { body } = await service.operate('POST', `/webhook/${id}/enable`)
  assert.equal(body.webhook.enabled, true)
  assert.equal((await service.get(`/v1/webhook/${id}`)).body.webhook.enabled, true)
  assert.deepEqual(await service.audit(), [
    {
      act: 'webhook.enable',
      accountId: service.accountId,
      subject: id,
      before: { enabled: false, disabledReason: 'The endpoint returned 410 Gone' },
      after: { enabled: true },
    },
  ])
  const missing = await service.operate('POST', `/webhook/${newId('whk', new Date())}/enable`)
  assert.deepEqual([missing.status, missing.body.code], [404, 'webhook_missing'])
})

test('an operator adds and removes opt-outs with a reason that both logs record', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const path = `/campaign/${campaignId}/optouts`
  const reason = 'Complaint by mail'
  const { body } = await service.operate('PUT', `${path}/14155550199`, { reason })
  assert.equal(body.optout.recipient, '+14155550199')
  const send = { campaign: campaignId, to: '+14155550199', body: 'Hello' }
  assert.equal((await service.post('/v1/message/send', send)).body.code, 'recipient_opted_out')
  const list = await service.operate('GET', path)
  assert.deepEqual([list.body.optouts.length, list.body.optouts[0].reason], [1, reason])
  const history = await service.get(`/v1/campaign/${campaignId}/optouts/14155550199`)
  assert.equal(history.body.changes[0].source, 'operator')

  const back = `${path}/14155550199?reason=Consent+renewed`
  assert.equal((await service.operate('DELETE', back)).status, 200)
  assert.equal((await service.operate('DELETE', back)).body.code, 'optout_missing')
  assert.deepEqual(
    (await service.audit()).map(({ act, subject, after }) => [act, subject, after]),
    [
      [
        'optout.remove',
        campaignId,
        { recipient: '+14155550199', isOptedOut: false, reason: 'Consent renewed' },
      ],
      ['optout.add', campaignId, { recipient: '+14155550199', isOptedOut: true, reason }],
    ],
  )
  const silent = await service.operate('DELETE', `${path}/14155550199`)
  assert.equal(silent.body.error, 'reason is required')
  const odd = await service.operate('PUT', `${path}/911`, { reason })
  assert.equal(odd.status, 400)
})

test('the audit log can be filtered by account, act, actor, record, and time, and cannot be changed', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}`
  await service.operate('POST', `${path}/credit`, { amount: 1, note: 'one' })
  const between = service.world.clock.now().toISOString()
  await service.operate('POST', `${path}/suspend`, { reason: 'x' })
  await service.operate('POST', '/account/create', { name: 'B' })
  const acts = async (query: string) => (await service.audit(query)).map(({ act }) => act)
  assert.deepEqual(await acts(''), ['account.create', 'account.suspend', 'account.credit'])
  assert.deepEqual(await acts(`&account=${service.accountId}`), [
    'account.suspend',
    'account.credit',
  ])
  assert.deepEqual(await acts('&act=account.create'), ['account.create'])
  assert.deepEqual(await acts(`&until=${between}`), ['account.credit'])
  assert.deepEqual(await acts(`&since=${between}&subject=${service.accountId}`), [
    'account.suspend',
  ])
  assert.deepEqual(await acts('&actor=nobody'), [])
  assert.equal((await acts('&actor=LONGCODE_OPERATOR_TOKEN')).length, 3)
  const first = await service.operate('GET', '/audit/list?limit=1')
  assert.equal(first.body.hasMore, true)
  const next = await service.operate('GET', `/audit/list?limit=1&after=${first.body.acts[0].id}`)
  assert.equal(next.body.acts[0].act, 'account.suspend')
  const odd = await service.operate('GET', '/audit/list?act=fly')
  assert.equal(odd.status, 400)
  assert.deepEqual(odd.body.acts, [])

  const { db } = service.world
  const refused = /append-only/
  await assert.rejects(db.query(sql`update audit_log set act = 'x'`), refused)
  await assert.rejects(db.query(sql`delete from audit_log`), refused)
  await assert.rejects(db.query(sql`truncate audit_log`), refused)
})
