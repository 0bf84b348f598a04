// A reload reaches what is running, proven by traffic: routes, networks, hosts of numbers, links, providers, and trunks.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import { temporaryFolder } from '../commands/run-command.js'
import { eventually } from '../harness.js'
import { privateFolder } from '../peers/peer-process.js'
import { DatagramCaller, headerOf, statusOf } from '../peers/sip/datagram-caller.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { numberService } from '../providers/number-service.js'
import { registeringService } from '../providers/registering.js'
import { sendingService } from '../sending.js'

async function smscOf(t: TestContext): Promise<Smsc> {
  const smsc = await startSmsc({})
  t.after(() => smsc.stop())
  return smsc
}

const linkTo = (name: string, { port }: Smsc, more: object = {}) => ({
  ...{ name, kind: 'smpp', host: '127.0.0.1', port, systemId: 'longcode', password: 'secret' },
  ...{ reconnect: { firstSeconds: 0.1, maxSeconds: 0.2 }, failbackSeconds: 0.2, ...more },
})

/** Both networks go to their own link. A network without a prefix goes to the second. */
const BY_NETWORK = [{ networks: ['tmo'], links: ['one'] }, { links: ['two'] }]

test('reloaded routes, networks, hosts, and links decide about the next message', async (t) => {
  const [a, b] = [await smscOf(t), await smscOf(t)]
  const file = path.join(temporaryFolder(t), 'carriers.json')
  const write = (settings: object) => writeFileSync(file, JSON.stringify(settings))
  const links = [linkTo('one', a), linkTo('two', b)]
  write({ links, routes: [{ links: ['one'] }] })
  const { service, send } = await sendingService(t, {
    ...{ roles: ['dispatch'], balance: '100', env: { LONGCODE_CARRIERS: file } },
  })
  let count = 0
  /** Where the next message arrives. */
  const arrival = async (): Promise<'a' | 'b'> => {
    count += 1
    const body = `message ${count}`
    await send({ body, to: `+13102${String(count).padStart(6, '0')}` })
    const has = (smsc: Smsc) => smsc.accepted.some(({ text }) => text === body)
    return eventually(async () => (has(a) ? 'a' : has(b) ? 'b' : null), body)
  }
  const reload = async (settings: object) => {
    write(settings)
    assert.deepEqual(await service.reloadCarriers(), { ok: true })
  }
  assert.equal(await arrival(), 'a')
  await reload({ links, routes: [{ links: ['two'] }] })
  assert.equal(await arrival(), 'b', 'routes')
  await reload({ links, routes: BY_NETWORK })
  assert.equal(await arrival(), 'b', 'an unknown network')
  await reload({ links, routes: BY_NETWORK, networks: { prefixes: { '+1310': 'tmo' } } })
  assert.equal(await arrival(), 'a', 'networks')
  const both = [{ links: ['one'], failover: ['two'] }]
  await reload({ links, routes: both })
  assert.equal(await arrival(), 'a')
  await reload({ links: [linkTo('one', a, { hostsStock: false }), links[1]], routes: both })
  assert.equal(await arrival(), 'b', 'hosts')
  await reload({ links, routes: both })
  assert.equal(await arrival(), 'a')
  await reload({ links: [linkTo('one', b), linkTo('two', b)], routes: both })
  assert.equal(await arrival(), 'b', 'links')
})

/** Replaces a text of the carriers file. */
function edit({ LONGCODE_CARRIERS: file = '' }: Record<string, string>, from: string, to: string) {
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes(from), from)
  writeFileSync(file, text.replace(from, to))
}

const ONE = '+14152000001'

test('a reloaded provider sells at its new price, also where no link is connected', async (t) => {
  const { service, env, buy } = await numberService(t, [ONE], { roles: ['schedule'] })
  const monthly = async () => {
    const { body } = await service.get('/v1/number/search?areaCode=415')
    return body.numbers[0].monthlyPrice
  }
  assert.equal(await monthly(), 2)
  edit(env, 'monthlyPrice: 2', 'monthlyPrice: 3')
  const { mock } = t.mock.method(service.world.log, 'info')
  assert.equal((await service.operate('POST', '/carrier/reload')).status, 200)
  const isReloaded = () => mock.calls.some(({ arguments: [text] }) => text === 'carriers reloaded')
  await eventually(async () => isReloaded(), 'the reload')
  assert.equal(await monthly(), 3)
  const before = await service.balance()
  assert.equal((await buy(ONE)).status, 200)
  assert.equal(await service.balance(), before - 3)
})

test('a reloaded provider registers with its new settings', async (t) => {
  const { service, env, fake, submitBrand, until } = await registeringService(t)
  await until('brand', await submitBrand(), 'VERIFIED')
  assert.equal(fake.registry.brand.mock, true)
  edit(env, 'mock: true', 'mock: false')
  assert.deepEqual(await service.reloadCarriers(), { ok: true })
  await until('brand', await submitBrand(), 'VERIFIED')
  assert.equal(fake.registry.brand.mock, undefined)
})

/** More messages than a trunk with one call per second may send at once. */
const BURST = 120

test('calls use reloaded trunks, with their limits', async (t) => {
  const file = path.join(privateFolder(t), 'trunks.json')
  const write = (contactHost: string, limits: object) => {
    const trunk = { name: 'peers', sources: ['127.0.0.1'], contactHost, limits }
    writeFileSync(file, JSON.stringify({ trunks: [trunk] }))
  }
  write('first.test', {})
  const { service, port, buy } = await voiceService(t, { env: { LONGCODE_TRUNKS: file } })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const caller = await DatagramCaller.open(t)
  const contact = async () => {
    const answer = await caller.ask(caller.invite(uri), port)
    assert.equal(statusOf(answer), 302)
    return headerOf(answer, 'Contact') ?? ''
  }
  const dropped = () =>
    service.world.metrics.counter('longcode_sip_messages_total', '').cell('udp', 'dropped').value
  const burst = () => {
    for (let i = 0; i < BURST; i += 1) caller.send(caller.invite(uri), port)
  }
  assert.match(await contact(), /first\.test/)
  burst()
  await eventually(async () => caller.received.length > BURST, 'answers to all')
  write('second.test', { callsPerSecond: 1 })
  service.reloadTrunks()
  assert.match(await contact(), /second\.test/)
  assert.equal(dropped(), 0)
  const before = caller.received.length
  burst()
  const answers = () => caller.received.slice(before)
  await eventually(async () => answers().length + dropped() >= BURST, 'the end of the burst')
  assert.ok(
    answers().some(({ text }) => statusOf(text) === 503),
    'a 503',
  )
  assert.ok(dropped() > 0, 'messages that are not read')
})
