// GET /operator/v1/carrier/list and POST /operator/v1/carrier/reload: the state of the links in all processes,
// and reloading their settings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveLinkReport } from '../../src/carriers/link-queries.js'
import type { Carrier, LinkStatus, Reloaded } from '../../src/messages/carrier-port.js'
import { fakeCarrier } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Json } from '../harness.js'
import { operatedService } from './operator-service.js'

const SINCE = new Date('2026-11-15T12:00:00.000Z')
const LATER = new Date('2026-11-15T12:05:00.000Z')

const UP: LinkStatus = {
  link: 'fake',
  kind: 'smpp',
  isUp: true,
  since: SINCE,
  detail: null,
  connections: [{ name: '1', state: 'bound_trx', since: SINCE, peer: '127.0.0.1:2775' }],
  window: { used: 3, size: 10 },
  rate: { perSecond: 20, contract: 50 },
}
const NOTHING = {
  minutes: 15,
  answers: { sent: 0, slow_down: 0, failed: 0, down: 0, unknown: 0 },
  receipts: { SENT: 0, DELIVERED: 0, READ: 0, FAILED: 0 },
  inbound: 0,
}

function reloadable(answer: () => Reloaded): Carrier & { reloads: number } {
  const carrier = { ...fakeCarrier(), reloads: 0, links: () => [UP] }
  return Object.assign(carrier, {
    reload: async () => {
      carrier.reloads += 1
      return answer()
    },
  })
}

test('a link is listed with its binds, window, rate, counts, and the carrier’s error codes', async (t) => {
  const carrier: Carrier = {
    ...fakeCarrier(({ to }) =>
      to.endsWith('1')
        ? { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' }
        : { kind: 'sent' },
    ),
    links: () => [UP],
  }
  const service = await operatedService(t, { roles: ['dispatch'], carrier })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550102']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  const { body } = await eventually(async () => {
    const reply = await service.operate('GET', '/carrier/list')
    const [link] = reply.body.links
    return link?.counts.answers.sent === 1 && link.counts.answers.failed === 1 && reply
  }, 'both results counted')
  const [link] = body.links
  const { process, ...of } = link.processes[0]
  assert.match(process, /:\d+:[0-9a-f]{6}$/)
  assert.deepEqual(of, {
    isUp: true,
    since: SINCE.toISOString(),
    detail: null,
    connections: [
      { name: '1', state: 'bound_trx', since: SINCE.toISOString(), peer: '127.0.0.1:2775' },
    ],
    window: { used: 3, size: 10 },
    rate: { perSecond: 20, contract: 50 },
  })
  assert.deepEqual(
    [link.link, link.kind, link.state, link.since, link.detail, link.waiting],
    ['fake', 'smpp', 'up', SINCE.toISOString(), null, 0],
  )
  const errors = link.errors.map(({ lastAt, ...error }: Json) => error)
  assert.deepEqual(errors, [
    { of: 'answer', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR', count: 1 },
  ])
  assert.deepEqual(
    body.processes.map((one: Json) => [one.process, one.reloadError]),
    [[process, null]],
  )
})

test('reports of several processes merge into one link, and an ended process is dropped', async (t) => {
  const { operate, world } = await operatedService(t)
  const down = { ...UP, isUp: false, since: LATER, detail: 'refused the bind', connections: [] }
  const error = { of: 'receipt', errorCode: 1380, carrierCode: 'EXPIRED', count: 2 } as const
  const say = (process: string, status: LinkStatus, inbound: number, seenAt: Date) =>
    saveLinkReport(
      world.db,
      {
        process,
        links: JSON.parse(
          JSON.stringify([
            { ...status, counts: { ...NOTHING, inbound }, errors: [{ ...error, lastAt: SINCE }] },
          ]),
        ),
        loadedAt: SINCE,
        reloadId: null,
        reloadError: null,
      },
      seenAt,
    )
  const now = world.clock.machineNow()
  await say('a', UP, 2, now)
  await say('b', down, 3, now)
  await say('gone', down, 100, new Date(now.getTime() - 31_000))
  const { body } = await operate('GET', '/carrier/list')
  const [link, ...others] = body.links
  assert.deepEqual(others, [])
  assert.deepEqual(
    [link.state, link.since, link.detail, link.counts.inbound],
    ['partly', LATER.toISOString(), 'refused the bind', 5],
  )
  assert.deepEqual(link.errors, [{ ...error, count: 4, lastAt: SINCE.toISOString() }])
  assert.deepEqual(
    link.processes.map((one: Json) => [one.process, one.isUp]),
    [
      ['a', true],
      ['b', false],
    ],
  )
  await say('a', { ...down, since: SINCE }, 0, now)
  const [both] = (await operate('GET', '/carrier/list')).body.links
  assert.deepEqual(
    [both.state, both.since],
    ['down', LATER.toISOString()],
    'since the last process went down',
  )
})

test('without a dispatching process, no links are listed and nothing is reloaded', async (t) => {
  const { operate } = await operatedService(t)
  const { body } = await operate('GET', '/carrier/list')
  assert.deepEqual(body, { waiting: 0, unsettled: 0, links: [], processes: [] })
  const reply = await operate('POST', '/carrier/reload')
  assert.deepEqual(reply.body, { success: true, processes: [] })
})

test('the dispatching process reloads, the reply has the outcome, and the audit log records it', async (t) => {
  let answer: Reloaded = { ok: true }
  const carrier = reloadable(() => answer)
  const { operate, audit } = await operatedService(t, { roles: ['dispatch'], carrier })
  await eventually(async () => (await operate('GET', '/carrier/list')).body.processes.length === 1)
  const reload = async () => {
    const { status, body } = await operate('POST', '/carrier/reload')
    assert.equal(status, 200)
    return body.processes.map(({ process, ...outcome }: Json) => outcome)
  }
  assert.deepEqual(await reload(), [{ outcome: 'reloaded', error: null }])
  const error = 'carriers.yaml, line 7: links[0].port must be a number from 1 to 65535'
  answer = { ok: false, error }
  assert.deepEqual(await reload(), [{ outcome: 'failed', error }])
  assert.equal(carrier.reloads, 2)
  const [process] = (await operate('GET', '/carrier/list')).body.processes
  assert.equal(process.reloadError, error)
  const acts = await audit('&act=carrier.reload')
  assert.equal(acts.length, 2)
})

test('reloading without a carriers file reports that there is nothing to reload', async (t) => {
  const { operate } = await operatedService(t, { roles: ['dispatch'] })
  const processes = await eventually(async () => {
    const { body } = await operate('POST', '/carrier/reload')
    return body.processes.length > 0 && body.processes
  })
  assert.equal(processes[0].outcome, 'failed')
  assert.match(processes[0].error, /^There is nothing to reload: LONGCODE_CARRIERS/)
})
