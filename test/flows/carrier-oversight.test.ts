// What an operator sees of a real SMPP link, from two nodes: the steps of docs/carriers.md, from the file to the
// receipt, the outage, and the reload.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { OPERATOR_TOKEN, operatedService } from '../api/operator-service.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { cloneDatabase, eventually, type Json } from '../harness.js'

const PASSWORD = 'pass-123'

const fileOf = (port: number | string) => `links:
  - name: local
    kind: smpp
    host: 127.0.0.1
    port: ${port}
    systemId: longcode
    password: ${PASSWORD}
    perSecond: 50
    binds: 2
    reconnect: { firstSeconds: 0.1, maxSeconds: 0.2 }
`

test('a node without dispatch shows another node’s link: bound, used, lost, and reloaded', async (t) => {
  const smsc = await startSmsc({ systemId: 'longcode', password: PASSWORD, receiptDelayMs: 10 })
  t.after(() => smsc.stop())
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, fileOf(smsc.port))
  const env = { LONGCODE_CARRIERS: file }
  const { url, drop } = await cloneDatabase()
  const database = { url, drop: async () => {} } // when both have stopped
  const dispatcher = await operatedService(t, { roles: ['dispatch'], env, database })
  const { operate, ...api } = await operatedService(t, { roles: ['api'], env, database })
  t.after(drop)
  const list = async () => (await operate('GET', '/carrier/list')).body

  const { campaignId } = await activeCampaign(api)
  await buyNumber(api, campaignId)
  const to = '+14155550199'
  await api.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  const [link] = await eventually(async () => {
    const { links } = await list()
    return links[0]?.counts.receipts.DELIVERED === 1 && links
  }, 'the receipt counted')
  assert.deepEqual(
    [link.link, link.kind, link.state, link.waiting, link.counts.answers.sent, link.errors],
    ['local', 'smpp', 'up', 0, 1, []],
  )
  const [process] = link.processes
  assert.deepEqual(
    process.connections.map(({ state, peer }: Json) => [state, peer]),
    [
      ['bound', `127.0.0.1:${smsc.port}`],
      ['bound', `127.0.0.1:${smsc.port}`],
    ],
  )
  assert.deepEqual([process.window.size, process.rate], [20, { perSecond: 50, contract: 50 }])

  const metrics = String((await dispatcher.get('/metrics', { token: OPERATOR_TOKEN })).body)
  for (const line of [
    'longcode_carrier_link_up{link="local"} 1',
    'longcode_carrier_connections{link="local",state="bound"} 2',
    'longcode_carrier_window_size{link="local"} 20',
    'longcode_carrier_rate_contract{link="local"} 50',
    'longcode_carrier_answers_total{link="local",answer="sent",code=""} 1',
    'longcode_carrier_receipts_total{link="local",status="DELIVERED",code=""} 1',
    'longcode_carrier_submit_duration_seconds_count{link="local"} 1',
  ]) {
    assert.ok(metrics.includes(`${line}\n`), line)
  }

  await smsc.stop()
  const lost = await eventually(async () => {
    const [one] = (await list()).links
    return one?.state === 'down' && one.detail?.includes('ECONNREFUSED') && one
  }, 'the link reported as down')
  assert.match(lost.detail, new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${smsc.port}$`))
  const details = await eventually(async () => {
    const { body } = await api.get('/readyz', { token: null })
    return body.parts.carrier === 'down' && body.details
  }, 'the probe of the other node')
  assert.match(details[0].problem, /^link local has been down since .+Z$/)

  writeFileSync(file, fileOf('nowhere'))
  const { body: refused } = await operate('POST', '/carrier/reload')
  assert.deepEqual(refused.processes, [
    {
      process: process.process,
      outcome: 'failed',
      error: `${file}:5 links[0].port must be a whole number from 1 to 65535, not "nowhere".`,
    },
  ])
  const other = await startSmsc({ systemId: 'longcode', password: PASSWORD })
  t.after(() => other.stop())
  writeFileSync(file, fileOf(other.port))
  const { body: reloaded } = await operate('POST', '/carrier/reload')
  assert.equal(reloaded.processes[0].outcome, 'reloaded')
  await eventually(async () => (await list()).links[0]?.state === 'up', 'the link is up again')
  assert.equal((await list()).links[0].counts.answers.sent, 1, 'a reload keeps the counts')
})
