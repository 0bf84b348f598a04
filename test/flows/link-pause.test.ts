// Links paused by an operator, or because they refuse every message for the same reason, counted at the carrier's
// side. Nothing leaves by a paused link, nothing is lost, and refused messages are not charged.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import type { SmscOptions } from '../../src/smsc/smsc-options.js'
import { operatedService } from '../api/operator-service.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { cloneDatabase, eventually, type Json } from '../harness.js'
import { assertDollars, SMS_PRICE } from '../sending.js'

const linkOf = (name: string, { port }: Smsc) => `  - name: ${name}
    kind: smpp
    host: 127.0.0.1
    port: ${port}
    systemId: x
    password: y
    failbackSeconds: 0
`

/** One dispatching process and one API process, on the same database, with one link for each SMSC. */
async function twoProcesses(t: TestContext, names: readonly string[], options: SmscOptions = {}) {
  const smscs = await Promise.all(names.map(() => startSmsc({ receiptDelayMs: 10, ...options })))
  t.after(() => Promise.all(smscs.map((smsc) => smsc.stop())))
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const links = names.map((name, i) => linkOf(name, smscs[i]!)).join('')
  const [first, ...others] = names
  const route = `routes:\n  - links: [${first}]\n    failover: [${others.join(', ')}]\n`
  writeFileSync(file, `links:\n${links}${route}`)
  const env = { LONGCODE_CARRIERS: file }
  const { url, drop } = await cloneDatabase()
  const database = { url, drop: async () => {} }
  const dispatcher = await operatedService(t, { roles: ['dispatch'], env, database })
  const api = await operatedService(t, { roles: ['api'], env, database })
  t.after(drop)
  const { campaignId } = await activeCampaign(api)
  await buyNumber(api, campaignId)
  const send = async (i: number) => {
    const to = `+1415555${2000 + i}`
    const { body } = await api.post('/v1/message/send', {
      campaign: campaignId,
      to,
      body: 'Hello',
    })
    assert.equal(body.success, true, JSON.stringify(body))
    return body.id as string
  }
  const message = async (id: string) => (await api.get(`/v1/message/${id}`)).body.message
  const until = (id: string, status: string) =>
    eventually(async () => (await message(id)).status === status, `${id} ${status}`)
  const timeline = async (id: string) =>
    (await api.get(`/v1/message/${id}/timeline`)).body.timeline as { text: string }[]
  const linkNamed = async (name: string) => {
    const { links: listed } = (await api.operate('GET', '/carrier/list')).body
    return listed.find(({ link }: Json) => link === name)
  }
  const isState = (name: string, state: string) =>
    eventually(async () => (await linkNamed(name))?.state === state, `${name} is ${state}`)
  for (const name of names) await isState(name, 'up')
  return { smscs, dispatcher, api, send, message, until, timeline, linkNamed, isState }
}

test('a paused link accepts no new messages, still receives, and continues when resumed', async (t) => {
  const stage = await twoProcesses(t, ['local'])
  const { api, send, until, timeline, linkNamed, dispatcher } = stage
  const [smsc] = stage.smscs
  const { operate } = api
  await until(await send(0), 'DELIVERED')
  assert.equal(smsc!.counts.submits, 1)

  const paused = await operate('POST', '/carrier/local/pause', { reason: 'maintenance' })
  assert.equal(paused.status, 200, JSON.stringify(paused.body))
  assert.equal(paused.body.pause.reason, 'maintenance')
  // The dispatching process applies the pause at its next poll.
  await eventually(async () => {
    const { body } = await dispatcher.get('/readyz', { token: null })
    return body.parts.carrier === 'down'
  }, 'the process pauses the link')
  const ids = [await send(1), await send(2), await send(3)]
  const entries = await timeline(ids[0]!)
  assert.match(entries.at(-1)!.text, /^Waiting: the carrier link local has been paused since .+Z$/)
  const link = await linkNamed('local')
  assert.deepEqual(
    [link.state, link.pause.reason, link.pause.isAutomatic],
    ['paused', 'maintenance', false],
  )
  const { numbers } = (await api.get('/v1/number/list')).body
  const to = numbers[0].phoneNumber
  assert.ok(await smsc!.sendInbound({ from: '14155552999', to: to.slice(1), text: 'Hi' }))
  assert.equal(smsc!.counts.submits, 1, 'nothing left meanwhile')

  assert.equal((await operate('POST', '/carrier/local/resume')).body.wasPaused, true)
  for (const id of ids) await until(id, 'DELIVERED')
  assert.equal(smsc!.counts.submits, 4, 'each once')
  assert.equal((await operate('POST', '/carrier/local/resume')).body.wasPaused, false)
  const unknown = await operate('POST', '/carrier/nowhere/pause', {})
  assert.equal(unknown.status, 404)
  assert.equal(unknown.body.error, 'No carrier link is named nowhere. Links: local.')
  const acts = (await api.audit()).map(({ act, subject }) => `${act} ${subject}`)
  assert.deepEqual(
    acts.filter((act) => act.startsWith('carrier.')),
    ['carrier.resume local', 'carrier.pause local'],
  )
})

test('messages use another link of the route while the first is paused', async (t) => {
  const stage = await twoProcesses(t, ['first', 'second'])
  const { api, send, until, isState } = stage
  const [first, second] = stage.smscs
  await until(await send(0), 'DELIVERED')
  assert.deepEqual([first!.accepted.length, second!.accepted.length], [1, 0])
  await api.operate('POST', '/carrier/first/pause', {})
  await isState('first', 'paused')
  await eventually(async () => {
    await until(await send(1), 'DELIVERED')
    return second!.accepted.length > 0
  }, 'the second link takes over')
  const before = first!.counts.submits
  for (let i = 2; i < 7; i++) await until(await send(i), 'DELIVERED')
  assert.equal(first!.counts.submits, before, 'nothing by the paused one')
  await api.operate('POST', '/carrier/first/resume')
  await eventually(async () => {
    await until(await send(8), 'DELIVERED')
    return first!.counts.submits > before
  }, 'the first is used again')
})

test('a link that refuses everything for one reason is paused, the rest waits, and a probe resumes it', async (t) => {
  const stage = await twoProcesses(t, ['local'])
  const { api, send, message, linkNamed, isState, timeline } = stage
  const [smsc] = stage.smscs
  smsc!.change({ refuse: STATUS.ESME_RINVSERTYP.code })
  const before = await api.balance()
  const ids: string[] = []
  for (let i = 0; i < 30; i++) ids.push(await send(i))
  await isState('local', 'paused')
  const link = await linkNamed('local')
  assert.equal(link.pause.isAutomatic, true)
  assert.equal(link.pause.reason, 'The carrier refused 10 messages in a row: ESME_RINVSERTYP')
  const states = async () => {
    const found = await Promise.all(ids.map(message))
    return {
      failed: found.filter(({ status }) => status === 'FAILED'),
      queued: found.filter(({ status }) => status === 'QUEUED'),
      delivered: found.filter(({ status }) => status === 'DELIVERED'),
    }
  }
  const { failed, queued } = await states()
  assert.ok(failed.length < 10, `${failed.length} failed before the pause`)
  assert.equal(failed.length + queued.length, ids.length, 'all others wait')
  assert.match(
    (await timeline(queued.at(-1)!.id)).at(-1)!.text,
    /has been paused since .+ESME_RINVSERTYP/,
  )

  smsc!.change({ refuse: null })
  await api.post('/sandbox/clock/advance', { seconds: 31 })
  await isState('local', 'up')
  await eventually(async () => (await states()).queued.length === 0, 'the rest is sent')
  await eventually(async () => {
    const { delivered, failed: lost } = await states()
    return delivered.length + lost.length === ids.length
  }, 'all are delivered')
  const { delivered } = await states()
  assert.equal(smsc!.accepted.length, delivered.length, 'each once')
  assertDollars(await api.balance(), before - delivered.length * SMS_PRICE)
})

test('refusals about recipients never pause a link', async (t) => {
  const stage = await twoProcesses(t, ['local'])
  const { api, send, until, linkNamed, message } = stage
  const [smsc] = stage.smscs
  const before = await api.balance()
  smsc!.change({ refuse: STATUS.ESME_RINVDSTADR.code })
  const ids: string[] = []
  for (let i = 0; i < 25; i++) ids.push(await send(i))
  for (const id of ids) await until(id, 'FAILED')
  assert.equal((await message(ids[0]!)).errorCode, 1350)
  smsc!.change({ refuse: null })
  await until(await send(99), 'DELIVERED')
  assert.deepEqual([(await linkNamed('local')).state, smsc!.counts.submits], ['up', 26])
  assertDollars(await api.balance(), before - SMS_PRICE)
})
