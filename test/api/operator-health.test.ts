// GET /operator/v1/health: the state of the service, for its operator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveLinkReport } from '../../src/carriers/link-queries.js'
import type { LinkStatus } from '../../src/messages/carrier-port.js'
import { fakeCarrier } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { operatedService } from './operator-service.js'

const NO_COUNTS = {
  minutes: 15,
  answers: { sent: 0, slow_down: 0, failed: 0, down: 0, unknown: 0 },
  receipts: { SENT: 0, DELIVERED: 0, READ: 0, FAILED: 0 },
  inbound: 0,
}

test('health shows queued, sent, and failed messages by route, carrier, and minute', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550102', '+14155550107']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  service.world.clock.moveTo(120_000)
  const { status, body } = await service.operate('GET', '/health')
  assert.equal(status, 200)
  assert.deepEqual(body.database, { state: 'ok', problem: null })
  assert.deepEqual(body.carrier, {
    name: 'simulator',
    state: 'simulated',
    downSince: null,
    links: [],
  })
  const depths = body.queue.map((one: { route: string; waiting: number }) => [
    one.route,
    one.waiting,
  ])
  assert.deepEqual(depths, [
    ['att-sms', 2],
    ['att-mms', 0],
    ['tmo', 0],
    ['open', 1],
  ])
  assert.ok(body.queue[0].oldestSeconds >= 110)
  assert.equal(body.queue[1].oldestSeconds, null)
  assert.deepEqual(
    [body.lanes[0].accountId, body.lanes[0].campaignId, body.lanes[0].waiting],
    [service.accountId, campaignId, 2],
  )
  const att = body.recent.carriers.find((one: { carrier: string }) => one.carrier === 'att')
  assert.deepEqual([att.accepted, att.waiting, att.sent, att.failed], [2, 2, 0, 0])
  assert.equal(body.recent.byMinute.length, 15)
  const accepted = body.recent.byMinute.map((one: { accepted: number }) => one.accepted)
  assert.equal(
    accepted.reduce((sum: number, one: number) => sum + one),
    3,
  )
  assert.equal(accepted.at(-1), 0, 'they were accepted two minutes ago')
  assert.deepEqual([body.recent.isComplete, body.webhooks.off, body.connections.max], [true, 0, 4])
  const nowhere = { state: 'elsewhere', port: null, tlsPort: null, trunks: 0, numbers: 0 }
  assert.deepEqual(body.calls, nowhere)
})

test('health shows whether this process handles phone calls, with the number of trunks and numbers', async (t) => {
  const service = await operatedService(t, { roles: ['voice'], env: { LONGCODE_SIP_PORT: '0' } })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const calls = await eventually(async () => {
    const { body } = await service.operate('GET', '/health')
    return body.calls.numbers === 1 && body.calls
  }, 'the number in memory')
  const { port } = service.voice!.listening!
  assert.deepEqual(calls, { state: 'listening', port, tlsPort: null, trunks: 1, numbers: 1 })
  const silent = await operatedService(t, { roles: ['voice'] })
  assert.equal((await silent.operate('GET', '/health')).body.calls.state, 'silent')
})

test('health shows failures by carrier with their error codes', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550110']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  const carriers = await eventually(async () => {
    const { body } = await service.operate('GET', '/health')
    const all: { sent: number; failed: number; delivered: number; errors: object[] }[] =
      body.recent.carriers
    const isOver = all.some(({ delivered }) => delivered === 1) && all.some(({ failed }) => failed)
    return isOver && all
  }, 'one delivered, one failed')
  assert.deepEqual(
    carriers.flatMap(({ errors }) => errors),
    [{ code: 1350, count: 1 }],
  )
})

test('links that are down are listed, with the reason for operators and without it for probes', async (t) => {
  const since = new Date('2026-11-15T12:00:00.000Z')
  const rest = { kind: 'smpp', since, connections: [], window: null, rate: null }
  const links: LinkStatus[] = [
    { link: 'first', isUp: false, detail: 'ESME_RINVPASWD at 192.0.2.1:2775', ...rest },
    { link: 'second', isUp: true, detail: null, ...rest },
  ]
  const carrier = { ...fakeCarrier(), links: () => links }
  const { operate, get } = await operatedService(t, { roles: ['dispatch'], carrier })
  const known = await eventually(async () => {
    const { body } = await operate('GET', '/health')
    return body.carrier.links.length > 0 && body.carrier
  })
  assert.equal(known.state, 'ok')
  assert.deepEqual(
    known.links.map((one: LinkStatus & { state: string }) => [one.link, one.state, one.detail]),
    [
      ['first', 'down', 'ESME_RINVPASWD at 192.0.2.1:2775'],
      ['second', 'up', null],
    ],
  )
  const { body } = await get('/readyz', { token: null })
  assert.equal(body.parts.carrier, 'ok', 'the other one is up')
  const problem = 'link first has been down since 2026-11-15T12:00:00.000Z'
  assert.deepEqual(body.details, [{ field: 'carrier', problem }])
})

test('a process that does not dispatch shows the link state the others report', async (t) => {
  const carrier = fakeCarrier()
  const service = await operatedService(t, { carrier })
  const links = [
    {
      ...{
        link: 'far',
        kind: 'smpp',
        isUp: false,
        since: '2026-11-15T12:00:00.000Z',
        detail: null,
      },
      ...{ connections: [], window: null, rate: null, counts: NO_COUNTS, errors: [] },
    },
  ]
  const report = { process: 'b', links, loadedAt: new Date(0), reloadId: null, reloadError: null }
  await saveLinkReport(service.world.db, report, service.world.clock.machineNow())
  // A probe has a short timeout, so on a busy machine only the next one may show it.
  const details = await eventually(async () => {
    const { body } = await service.get('/readyz', { token: null })
    return body.parts.carrier === 'down' && body.details
  })
  assert.match(details[0].problem, /^link far has been down since/)
})
