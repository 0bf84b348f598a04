// Alerts by API: what is raised and cleared, lists, settings, events, and isolation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { checkAll } from '../../src/alerts/watch-alerts.js'
import { DAY_MS } from '../../src/kit/clock.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { alertSources } from '../../src/operator/alerts/alert-sources.js'
import { addFinished } from '../finished-messages.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import type { Json, TestService } from '../harness.js'
import { testService } from '../harness.js'
import { OPERATOR_TOKEN } from '../people-fixtures.js'
import { sendingService, told } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const LIST = '/v1/alert/list'
const SETTINGS = '/v1/alert/settings'

const check = (service: TestService) => checkAll(service.world, alertSources)

async function alertsOf(service: TestService, query = ''): Promise<Json[]> {
  const { status, body } = await service.get(`${LIST}${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.alerts
}

/** AT&T at 25% of 1,255 messages. */
async function lowAtt(service: TestService, campaignId: string): Promise<void> {
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 314, failed: 941 })
  await addFinished(service, { campaignId, route: 'tmo', delivered: 500, failed: 5 })
}

test('AT&T at 25% of 1,255 messages raises one alert, and better deliveries clear it', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await lowAtt(service, campaignId)
  assert.equal(await check(service), 1)
  assert.equal(await check(service), 0, 'a second check changes nothing')
  const [alert, ...others] = await alertsOf(service)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [alert!.kind, alert!.subject, alert!.clearedAt],
    ['network_delivery', 'att', null],
  )
  assert.match(String(alert!.whatHappened), /^AT&T: 25\.0% of 1,255 finished messages/)
  assert.deepEqual(alert!.figures, {
    rate: 314 / 1255,
    normalRate: 0.95,
    messages: 1255,
    failed: 941,
    days: null,
  })
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 9000, failed: 0 })
  assert.equal(await check(service), 1)
  const [cleared] = await alertsOf(service)
  assert.equal(cleared!.id, alert!.id)
  assert.notEqual(cleared!.clearedAt, null)
  assert.deepEqual(await alertsOf(service, '?state=open'), [])
  assert.equal((await alertsOf(service, '?state=cleared&kind=network_delivery')).length, 1)
  assert.deepEqual(await alertsOf(service, '?kind=error_spike'), [])
})

test('two processes that check at once raise one alert', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await lowAtt(service, campaignId)
  const changed = await Promise.all([check(service), check(service), check(service)])
  assert.equal(
    changed.reduce((a, b) => a + b),
    1,
  )
  assert.equal((await alertsOf(service)).length, 1)
})

test('webhooks that list alerts get them once, whichever campaign they belong to', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { campaignId: second } = await activeCampaign(service)
  const hook = async (id: string, eventTypes: string[]) => {
    const { body } = await service.post(`/v1/campaign/${id}/webhooks`, {
      url: `https://receiver.test/${id}`,
      signature: 's',
      eventTypes,
    })
    return body.webhook?.id ?? body.id
  }
  const hooks = [
    await hook(campaignId, ['alert.raised', 'alert.cleared']),
    await hook(second, ['alert.raised']),
    await hook(second, ['message.status']),
  ]
  await lowAtt(service, campaignId)
  await check(service)
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 9000, failed: 0 })
  await check(service)
  const typesOf = async (id: string) => {
    const { body } = await service.get(`/v1/webhook/${id}/deliveries`)
    return body.deliveries.map(({ eventType }: Json) => eventType)
  }
  assert.deepEqual(await Promise.all(hooks.map(typesOf)), [
    ['alert.cleared', 'alert.raised'],
    ['alert.raised'],
    [],
  ])
})

test('an alert about a campaign goes only to webhooks of that campaign', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { campaignId: second } = await activeCampaign(service)
  for (const id of [campaignId, second]) {
    await service.post(`/v1/campaign/${id}/webhooks`, {
      url: 'https://receiver.test/',
      signature: 's',
      eventTypes: ['alert.raised'],
    })
  }
  await service.world.db.query(sql`
    update campaigns set status = 'SUSPENDED', suspended_for = 'operator'
    where account_id = ${service.accountId} and id = ${campaignId}`)
  await check(service)
  const [alert] = await alertsOf(service)
  assert.deepEqual([alert!.kind, alert!.campaignId], ['campaign_trouble', campaignId])
  const deliveries = await service.world.db.query(sql`
    select w.campaign_id as "campaignId" from event_deliveries d
    join webhooks w on w.account_id = d.account_id and w.id = d.subscriber_id`)
  assert.deepEqual(deliveries, [{ campaignId }])
})

test('a muted kind is listed, but sends no events', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const muted = { mutedKinds: ['network_delivery'] }
  const changed = await service.call('PUT', SETTINGS, muted)
  assert.deepEqual(changed.body.settings, { ...muted, balanceDays: 3 })
  await lowAtt(service, campaignId)
  await check(service)
  assert.deepEqual(
    (await alertsOf(service)).map((alert) => alert.muted),
    [true],
  )
  const events = await service.world.db.query(sql`
    select 1 from events where account_id = ${service.accountId} and event_type like 'alert.%'`)
  assert.equal(events.length, 0)
  const days = await service.call('PUT', SETTINGS, { balanceDays: 30 })
  assert.deepEqual(days.body.settings, { ...muted, balanceDays: 30 })
  assert.deepEqual((await service.get(SETTINGS)).body.settings, { ...muted, balanceDays: 30 })
})

test('lists page by ID, newest first', async (t) => {
  const { service } = await sendingService(t)
  const ids = []
  for (let i = 0; i < 3; i += 1) ids.push((await activeCampaign(service)).campaignId)
  await service.world.db.query(sql`
    update campaigns set status = 'SUSPENDED', suspended_for = 'operator'
    where account_id = ${service.accountId} and id = any (${ids}::text[])`)
  await check(service)
  const { body: first } = await service.get(`${LIST}?limit=2`)
  assert.deepEqual([first.alerts.length, first.hasMore], [2, true])
  const { body: rest } = await service.get(`${LIST}?limit=2&after=${first.alerts[1].id}`)
  assert.deepEqual([rest.alerts.length, rest.hasMore], [1, false])
  const subjects = [...first.alerts, ...rest.alerts].map(({ subject }: Json) => subject)
  assert.deepEqual(subjects.sort(), ids.sort())
})

/** Suspends a campaign, lets a number and a webhook fail, and returns the subjects of the alerts to come. */
async function makeTrouble(
  service: TestService,
  { accountId, token }: { accountId: string; token: string },
): Promise<string[]> {
  const { db, clock } = service.world
  const ofAccount = { accountId: accountId as AccountId }
  const suspended = (await activeCampaign(service, ofAccount)).campaignId
  const { campaignId } = await activeCampaign(service, ofAccount)
  const number = await buyNumber(service, campaignId, { token })
  const origin = `https://${campaignId.replace('_', '')}.test`
  const hook = { url: `${origin}/hook`, signature: 's', eventTypes: ['message.status'] }
  const made = await service.post(`/v1/campaign/${campaignId}/webhooks`, hook, { token })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await db.query(sql`
    update campaigns set status = 'SUSPENDED', suspended_for = 'operator'
    where account_id = ${accountId} and id = ${suspended}`)
  await db.query(sql`
    update numbers set status = 'FAILED' where account_id = ${accountId}`)
  await db.query(sql`
    update webhooks set failing_since = ${new Date(clock.nowMs() - 6 * DAY_MS)}
    where account_id = ${accountId}`)
  return [suspended, number, origin].sort()
}

test('alerts are about the account’s own campaigns, numbers, and webhooks', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount('10')
  const own = await makeTrouble(service, service)
  const ofOther = await makeTrouble(service, other)
  await check(service)
  const subjects = async (token: string) => {
    const { alerts } = (await service.get(LIST, { token })).body
    return alerts.map(({ subject }: Json) => subject).sort()
  }
  assert.deepEqual(await subjects(service.token), own)
  assert.deepEqual(await subjects(other.token), ofOther)
})

test('another account sees and changes only its own alerts and settings', async (t) => {
  const { service, campaignId } = await sendingService(t)
  await lowAtt(service, campaignId)
  await check(service)
  const { token } = await service.otherAccount()
  assert.deepEqual((await service.get(LIST, { token })).body.alerts, [])
  await service.call('PUT', SETTINGS, { mutedKinds: ['balance_low'], balanceDays: 9 }, { token })
  assert.deepEqual((await service.get(SETTINGS)).body.settings, { mutedKinds: [], balanceDays: 3 })
})

test('bad queries and settings are refused by field, and reading is not changing', async (t) => {
  const service = await testService(t)
  const fieldOf = async (body: unknown) =>
    (await service.call('PUT', SETTINGS, body)).body.details?.[0]?.field
  assert.match(await fieldOf({ mutedKinds: ['link_down'] }), /^mutedKinds/)
  assert.match(await fieldOf({ mutedKinds: 'balance_low' }), /^mutedKinds/)
  assert.match(await fieldOf({ mutedKinds: ['balance_low', 'balance_low'] }), /^mutedKinds/)
  for (const balanceDays of [0, 91, 1.5, 'x']) {
    assert.equal(await fieldOf({ balanceDays }), 'balanceDays')
  }
  for (const query of ['?state=old', '?kind=link_down', '?limit=0', '?after=x']) {
    assert.equal((await service.get(`${LIST}${query}`)).status, 400, query)
  }
  const reader = await service.tokenWith(['read'])
  assert.equal((await service.get(LIST, { token: reader })).status, 200)
  const refused = await service.call('PUT', SETTINGS, { balanceDays: 5 }, { token: reader })
  assert.equal(refused.status, 403)
  await assertFailureShapes(service, {
    method: 'GET',
    url: LIST,
    failure: { alerts: [] },
    scope: 'read',
  })
})

test('operators see alerts of links and of accounts, and mute kinds with an audit entry', async (t) => {
  const { service, campaignId } = await sendingService(t, {
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN },
  })
  const token = OPERATOR_TOKEN
  await lowAtt(service, campaignId)
  const links = [
    { link: 'main', state: 'down' as const, since: new Date(0), detail: 'Connection refused.' },
  ].map((link) => ({ ...link, delivered: 0, failed: 0, minutes: 15 }))
  await checkAll(service.world, { ...alertSources, listLinks: async () => links })
  const list = async (query = '') =>
    (await service.get(`/operator/v1/alert/list${query}`, { token })).body.alerts
  assert.deepEqual(
    (await list()).map(({ kind, whatHappened }: Json) => [kind, whatHappened]),
    [['link_down', 'Link main is down. Connection refused.']],
  )
  const [alert] = await list(`?account=${service.accountId}`)
  assert.equal(alert.kind, 'network_delivery')
  assert.deepEqual(told(await service.get('/operator/v1/alert/list?account=acc_x', { token })), [
    404,
    'Account not found',
  ])
  const path = '/operator/v1/alert/settings'
  const put = await service.call('PUT', path, { mutedKinds: ['link_down'] }, { token })
  assert.deepEqual(put.body.settings, { mutedKinds: ['link_down'] })
  assert.equal((await list())[0].muted, true)
  const { body } = await service.get('/operator/v1/audit/list?act=alert.settings', { token })
  assert.equal(body.acts.length, 1)
})
