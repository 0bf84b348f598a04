// Messages over several SMPP links, by the routes of a carriers file. Two of our SMSCs act as carriers.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  deleteNumberLookups,
  findNumberLookups,
  saveNumberLookups,
} from '../../src/carriers/routing/number-lookup-queries.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { startService } from '../../src/serve.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import type { SmscOptions } from '../../src/smsc/smsc-options.js'
import { temporaryFolder } from '../commands/run-command.js'
import { fakeCarrier } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import {
  cloneDatabase,
  eventually,
  type TestDatabase,
  testConfig,
  testService,
} from '../harness.js'
import { sendingService } from '../sending.js'

interface LinkLines {
  name: string
  port: number
  more?: object
}

function fileOf(links: readonly LinkLines[], routes: readonly object[], more: object = {}): string {
  const quick = { reconnect: { firstSeconds: 0.1, maxSeconds: 0.2 }, failbackSeconds: 0.2 }
  const usual = { kind: 'smpp', host: '127.0.0.1', systemId: 'longcode', password: 'secret' }
  return JSON.stringify({
    links: links.map((link) => ({
      name: link.name,
      ...usual,
      port: link.port,
      ...quick,
      ...link.more,
    })),
    routes,
    ...more,
  })
}

async function smscOf(t: TestContext, options: SmscOptions = {}): Promise<Smsc> {
  const smsc = await startSmsc(options)
  t.after(() => smsc.stop())
  return smsc
}

async function stage(t: TestContext, text: string, database?: TestDatabase) {
  const file = path.join(temporaryFolder(t), 'carriers.json')
  writeFileSync(file, text)
  const sending = await sendingService(t, {
    roles: ['dispatch'],
    env: { LONGCODE_CARRIERS: file },
    balance: '1000',
    ...(database && { database }),
  })
  const { service } = sending
  const reload = async (next: string) => {
    writeFileSync(file, next)
    assert.deepEqual(await service.reloadCarriers(), { ok: true })
  }
  const untilDelivered = (ids: readonly string[]) =>
    eventually(async () => {
      const statuses = await Promise.all(ids.map(async (id) => (await sending.message(id)).status))
      return statuses.every((status) => status === 'DELIVERED')
    }, 'all messages delivered')
  return { ...sending, reload, untilDelivered }
}

async function withDatabase(url: string, work: (db: Database) => Promise<void>): Promise<void> {
  const db = openDatabase({ url, poolMax: 1, applicationName: 'test', onError: () => {} })
  await work(db).finally(() => db.end())
}

const textsOf = (smsc: Smsc) => smsc.accepted.map(({ text }) => text!)

test('messages are routed by prefix, campaign, and share, and a recipient stays with one link', async (t) => {
  const [a, b] = [await smscOf(t), await smscOf(t)]
  const links = [
    { name: 'a', port: a.port },
    { name: 'b', port: b.port },
  ]
  const { service, send, untilDelivered, reload } = await stage(
    t,
    fileOf(links, [{ prefixes: ['+1415'], links: ['a'] }, { links: ['b'] }]),
  )
  const other = await activeCampaign(service)
  await buyNumber(service, other.campaignId)
  const bodies = { west: '+14155550107', east: '+12125550107' }
  const first = await Promise.all(Object.entries(bodies).map(([body, to]) => send({ body, to })))
  await untilDelivered(first)
  assert.deepEqual([textsOf(a), textsOf(b)], [['west'], ['east']])

  await reload(
    fileOf(links, [
      { campaigns: [other.campaignId], links: ['b'] },
      { links: ['a', 'b'], shares: { a: 50, b: 50 }, prefixes: ['+1310'] },
      { links: ['a'] },
    ]),
  )
  const own = { campaign: other.campaignId, to: bodies.west, body: 'campaign' }
  const shared = (round: number) =>
    Array.from({ length: 20 }, (_, i) => ({ to: `+1310200${1000 + i}`, body: `${round}:${i}` }))
  const later = [own, { to: bodies.east, body: 'rest' }, ...shared(1), ...shared(2)]
  await untilDelivered(await Promise.all(later.map((input) => send(input))))
  assert.ok(textsOf(b).includes('campaign') && textsOf(a).includes('rest'))
  const roundOf = (smsc: Smsc, round: number) =>
    textsOf(smsc)
      .filter((text) => text.startsWith(`${round}:`))
      .map((text) => text.slice(2))
      .sort()
  assert.ok(roundOf(a, 1).length > 0 && roundOf(b, 1).length > 0, 'both have a share')
  assert.deepEqual([roundOf(a, 1), roundOf(b, 1)], [roundOf(a, 2), roundOf(b, 2)])
})

test('another link takes over while a link is down, and the link is used again when it is back', async (t) => {
  const [a, b] = [await startSmsc(), await smscOf(t)]
  const { port } = a
  const links = [
    { name: 'a', port },
    { name: 'b', port: b.port },
  ]
  const { send, untilDelivered } = await stage(
    t,
    fileOf(links, [{ links: ['a'], failover: ['b'] }]),
  )
  await untilDelivered([await send({ body: 'one' })])
  await a.stop()
  const two = await send({ body: 'two' })
  await eventually(async () => textsOf(b).includes('two'), 'the other took over')
  await untilDelivered([two])

  const again = await smscOf(t, { port })
  let sent = 0
  await eventually(async () => {
    await untilDelivered([await send({ body: `back ${sent++}` })])
    return textsOf(again).length > 0
  }, 'it is used again')
  assert.deepEqual(textsOf(a), ['one'])
  const all = [...textsOf(b), ...textsOf(again)].sort()
  const wanted = ['two', ...Array.from({ length: sent }, (_, i) => `back ${i}`)].sort()
  assert.deepEqual(all, wanted, 'each once')
})

test('a message without a route waits for one and delays no other message', async (t) => {
  const [a, b] = [await smscOf(t), await smscOf(t)]
  const links = [
    { name: 'a', port: a.port },
    { name: 'b', port: b.port },
  ]
  const west = { prefixes: ['+1415'], links: ['a'] }
  const { send, untilDelivered, reload, message } = await stage(t, fileOf(links, [west]))
  const waits = await send({ body: 'east', to: '+12125550107' })
  for (const body of ['one', 'two', 'three']) await untilDelivered([await send({ body })])
  assert.equal((await message(waits)).status, 'QUEUED')
  await reload(fileOf(links, [west, { links: ['b'] }]))
  await untilDelivered([waits])
  assert.deepEqual([textsOf(a), textsOf(b)], [['one', 'two', 'three'], ['east']])
})

test('a removed link still receives the receipts of its messages', async (t) => {
  const [a, b] = [await smscOf(t, { receiptDelayMs: 1_500 }), await smscOf(t)]
  const links = [
    { name: 'a', port: a.port },
    { name: 'b', port: b.port },
  ]
  const { send, untilDelivered, reload } = await stage(t, fileOf(links, [{ links: ['a'] }]))
  const early = await send({ body: 'early' })
  await eventually(async () => textsOf(a).length === 1, 'it has left')
  await reload(fileOf(links.slice(1), [{ links: ['b'] }]))
  const late = await send({ body: 'late' })
  await untilDelivered([early, late])
  assert.deepEqual([textsOf(a), textsOf(b)], [['early'], ['late']])
})

test('networks reported by carriers are stored for every process and decide the route', async (t) => {
  const [a, b] = [await smscOf(t), await smscOf(t)]
  const links = [
    { name: 'a', port: a.port },
    { name: 'b', port: b.port },
  ]
  const routes = [{ networks: ['tmo'], links: ['b'] }, { links: ['a'] }]
  const networks = { prefixes: { '+1212': 'tmo' } }
  const database = await cloneDatabase()
  const now = new Date()
  const seen = (number: string, network: 'tmo' | null, ageDays: number) => {
    const seenAt = new Date(now.getTime() - ageDays * 86_400_000)
    return { number, network, isLandline: false, link: 'a', seenAt }
  }
  const [tmo, old, elsewhere] = ['+13102000107', '+13102000108', '+12122000109'] as const
  const rows = [seen(tmo, 'tmo', 1), seen(old, 'tmo', 31), seen(elsewhere, null, 1)]
  await withDatabase(database.url, (db) => saveNumberLookups(db, rows, now))
  const text = fileOf(links, routes, { networks })
  const { send, untilDelivered } = await stage(t, text, database)
  const inputs = [tmo, old, elsewhere, '+12122000110'].map((to) => ({ to, body: to }))
  const ids = []
  for (const input of inputs) ids.push(await send(input))
  await untilDelivered(ids)
  assert.deepEqual(textsOf(b).sort(), ['+12122000110', tmo])
  assert.deepEqual(textsOf(a).sort(), [elsewhere, old])
})

test('a looked-up network is stored again only if it changed or is a day old, and is purged later', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour))
  const save = (network: 'att' | 'tmo' | null, hour: number) =>
    saveNumberLookups(
      db,
      [{ number: '+13102000107', network, isLandline: false, link: 'a', seenAt: at(hour) }],
      at(hour - 24),
    )
  const found = async () => {
    const [row] = await findNumberLookups(db, ['+13102000107', '+13102000108'])
    return row && [row.network, row.seenAt.toISOString().slice(8, 13)]
  }
  await save('att', 0)
  await save('att', 23)
  assert.deepEqual(await found(), ['att', '01T00'])
  await save('tmo', 23)
  assert.deepEqual(await found(), ['tmo', '01T23'])
  await save('att', 22)
  assert.deepEqual(await found(), ['tmo', '01T23'], 'older information is ignored')
  await save('tmo', 48)
  assert.deepEqual(await found(), ['tmo', '03T00'])
  await save(null, 49)
  assert.deepEqual(await found(), [null, '03T01'])
  assert.equal(await deleteNumberLookups(db, at(49), 10), 0)
  assert.equal(await deleteNumberLookups(db, at(50), 10), 1)
  assert.equal(await found(), undefined)
})

test('simulators in a carriers file send the receipts that an earlier process did not send', async (t) => {
  const { service, send, until } = await sendingService(t, {
    roles: ['dispatch'],
    carrier: fakeCarrier(),
  })
  const id = await send({})
  await until(id, 'SENT')
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, 'links:\n  - { name: one, kind: simulator }\n')
  const config = testConfig({ roles: ['dispatch'], env: { LONGCODE_CARRIERS: file } })
  const later = await startService(config, service.databaseUrl)
  await until(id, 'DELIVERED').finally(() => later.stop())
})

test('settings change under load, and no message is lost or sent twice', async (t) => {
  const [a, b] = [await smscOf(t, { delayMs: 5 }), await smscOf(t, { delayMs: 5 })]
  const linkA = (more: object = {}) => ({ name: 'a', port: a.port, more })
  const linkB = (more: object = {}) => ({ name: 'b', port: b.port, more })
  const both = [{ links: ['a', 'b'] }]
  const { send, untilDelivered, reload } = await stage(t, fileOf([linkA(), linkB()], both))
  const rounds = [
    fileOf([linkA({ window: 5 }), linkB()], both),
    fileOf([linkA({ window: 5 }), linkB({ window: 7, overlap: true })], both),
    fileOf([linkB({ window: 7, overlap: true, drainSeconds: 0 })], [{ links: ['b'] }]),
    fileOf([linkA({ binds: 2 }), linkB({ window: 7 })], [{ links: ['a'], failover: ['b'] }]),
    fileOf([linkA(), linkB()], both),
  ]
  const ids: Promise<string>[] = []
  const wanted: string[] = []
  for (const round of [null, ...rounds]) {
    if (round) await reload(round)
    for (let i = 0; i < 40; i += 1) {
      const body = `message ${wanted.length}`
      wanted.push(body)
      ids.push(send({ body, to: `+13102${String(wanted.length).padStart(6, '0')}` }))
    }
    await Promise.all(ids)
  }
  await untilDelivered(await Promise.all(ids))
  assert.deepEqual([...textsOf(a), ...textsOf(b)].sort(), wanted.sort())
})
