// A second site, 80 ms away, takes over from the first, which is lost with its database and its processes. With
// asynchronous replication, the last moments are missing, and ops/second-site finds what that means. With synchronous
// replication, nothing is missing. docs/second-site.md has the figures that this test prints.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import { assertDollars, SMS_PRICE } from '../sending.js'
import { type Accepted, openSites, type Sites } from './region-stage.js'
import { ask, untilFollowing } from './replica-pair.js'

const ACCEPTED = 300
const LINK = 'cut'
/** Ends every lease of the first site's processes. */
const LEASE_SECONDS = 70
const MINUTE_MS = 60_000

interface Outcome {
  id: string
  status: string
}

const statement = (name: string) => readFileSync(`ops/second-site/${name}.sql`, 'utf8')

/** What the second site has, in the order of acceptance. */
async function messagesOf({ service }: Sites): Promise<Map<string, Outcome>> {
  const rows = await service.world.db.query<Outcome>(sql`
    select id, status from messages where account_id = ${service.accountId} order by id`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The first site is gone, all at once. Returns when that was. */
function loseFirst({ distance, pair, east }: Sites): number {
  distance.cut()
  pair.killPrimary()
  east.child.kill('SIGKILL')
  return Date.now()
}

async function loadUntil(sites: Sites, count: number): Promise<() => Promise<Accepted[]>> {
  const { accepted, end } = sites.load()
  await eventually(async () => accepted.length >= count, `${count} messages are accepted`)
  return async () => {
    await end()
    return accepted
  }
}

test('a second site takes over: all but the last moments are there, and the rest is found', async (t) => {
  const sites = await openSites(t, { isSynchronous: false })
  const { pair, service, taken } = sites
  const before = await service.balance()
  const endLoad = await loadUntil(sites, ACCEPTED)
  const lostAt = loseFirst(sites)
  const accepted = await endLoad()

  await pair.promoteStandby()
  const [row] = await ask(pair.standbyUrl, 'select pg_last_xact_replay_timestamp() as until')
  const until = (row!.until as Date).getTime()
  await sites.pause(LINK)
  const mayRepeat = await ask(pair.standbyUrl, statement('may-repeat'))
  const takenBefore = taken()
  const west = await sites.startWest()
  const first = await eventually(() => west.send('First'), 'the second site accepts a message')
  t.diagnostic(`RTO: ${Date.now() - lostAt} ms from the loss to the first accepted message`)

  const present = await messagesOf(sites)
  const lost = accepted.filter(({ id }) => !present.has(id))
  t.diagnostic(`RPO: ${lostAt - until} ms, ${lost.length} of ${accepted.length} accepted messages`)
  for (const { answeredAt, id } of lost)
    assert.ok(answeredAt + 1 >= until, `${id} was accepted after the last commit that is present`)
  assert.ok(lost.length < accepted.length)
  assertDollars(await service.balance(), before - present.size * SMS_PRICE)

  // If the first site's disk can be read, comparing both databases names what is missing.
  pair.restartPrimary()
  const since = new Date(until - MINUTE_MS)
  const there = await recordsOf(pair.standbyUrl, since)
  const missing = (await recordsOf(pair.primaryUrl, since)).filter((line) => !there.includes(line))
  for (const { id } of lost)
    assert.ok(
      missing.some((line) => line.startsWith(`message ${id} `)),
      `records.sql shows that ${id} is missing`,
    )
  t.diagnostic(`missing by kind: ${countKinds(missing)}`)

  const lostTexts = new Set(lost.map(({ text }) => text))
  const sent = [...lostTexts].filter((text) => takenBefore.has(text))
  t.diagnostic(`of the lost messages, ${sent.length} had reached the carrier`)
  const told = sites.receiver.received.map(({ event }) => event.data.message.id as string)
  const early = told.filter((id) => lost.some((message) => message.id === id))
  t.diagnostic(`of ${told.length} webhook requests, ${early.length} were about lost messages`)

  // Clients repeat their requests with the same keys: what is present is not sent again, and the rest is.
  for (const { id, text } of accepted) {
    const again = await eventually(() => west.send(text), `a response to ${text}`)
    assert.equal(again === id, !lostTexts.has(text), text)
  }
  const ids = await messagesOf(sites)
  assert.equal(ids.size, accepted.length + 1)
  assert.ok(ids.has(first))
  assert.deepEqual(taken(), takenBefore, 'nothing is sent while the link is paused')
  await sites.resume(LINK)
  await service.post('/sandbox/clock/advance', { seconds: LEASE_SECONDS })
  await untilSettled(sites)
  const may = new Set(mayRepeat.map(({ id }) => id))
  const after = taken()
  const twice = accepted.filter(({ text }) => after.get(text)! > 1)
  for (const { id, text } of twice)
    assert.ok(
      lostTexts.has(text) || may.has(id),
      `may-repeat.sql lists ${id}, which was sent twice`,
    )
  const counts = new Map<string, number>()
  for (const { status } of (await messagesOf(sites)).values())
    counts.set(status, (counts.get(status) ?? 0) + 1)
  const repeated = twice.filter(({ text }) => lostTexts.has(text))
  t.diagnostic(`went out twice: ${repeated.length} that clients repeated`)
  t.diagnostic(`and ${twice.length - repeated.length} of ${may.size} that may-repeat.sql listed`)
  t.diagnostic(`in the end: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`)
  const [unmatched] = await service.world.db.query<{ count: number }>(
    sql`select count(*)::int as count from unmatched_receipts`,
  )
  t.diagnostic(`${unmatched!.count} receipts name messages that the second site does not know`)
})

async function recordsOf(url: string, since: Date): Promise<string[]> {
  const text = statement('records').replaceAll(":'since'", `'${since.toISOString()}'`)
  return (await ask(url, text)).map(({ line }) => line as string)
}

function countKinds(lines: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const kind = line.split(' ', 1)[0]!
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
}

/** Every message has left, and the carrier has delivered every receipt. */
async function untilSettled(sites: Sites): Promise<void> {
  await eventually(async () => {
    const all = [...(await messagesOf(sites)).values()]
    const isOver = all.every(({ status }) => status === 'DELIVERED' || status === 'SENT')
    return isOver && sites.isReceipted()
  }, 'every message is sent, and every receipt delivered')
}

test('with a synchronous second site nothing is missing, and while it is away nothing is accepted', async (t) => {
  const sites = await openSites(t, { isSynchronous: true })
  const { pair, distance } = sites
  for (const [name, change] of COMMITS) {
    for (const one of change) await ask(pair.primaryUrl, one)
    await ask(pair.primaryUrl, 'select pg_reload_conf()')
    await sleep(500)
    t.diagnostic(`${name}: ${await latencies(sites)}`)
  }

  distance.cut()
  const hung = sites.sendEast('Hung')
  assert.equal(await hung, null, 'a message that only one site has is not accepted')
  await ask(pair.primaryUrl, "alter system set synchronous_standby_names = ''")
  await ask(pair.primaryUrl, 'select pg_reload_conf()')
  await eventually(
    () => sites.sendEast('Hung'),
    'without the second site, by the operator’s decision',
  )
  distance.heal()
  await ask(pair.primaryUrl, "alter system set synchronous_standby_names = '*'")
  await ask(pair.primaryUrl, 'select pg_reload_conf()')
  await untilFollowing(pair.primaryUrl, true)

  const endLoad = await loadUntil(sites, ACCEPTED / 3)
  const lostAt = loseFirst(sites)
  const accepted = await endLoad()
  await pair.promoteStandby()
  const west = await sites.startWest()
  await eventually(() => west.send('First'), 'the second site accepts a message')
  t.diagnostic(`RTO: ${Date.now() - lostAt} ms`)
  const present = await messagesOf(sites)
  const lost = accepted.filter(({ id }) => !present.has(id))
  t.diagnostic(`RPO: ${lost.length} of ${accepted.length} messages`)
  assert.deepEqual(lost, [])
})

/** The last one applies to the rest of the test. */
const COMMITS: [name: string, statements: string[]][] = [
  ['asynchronous', ["alter system set synchronous_standby_names = ''"]],
  [
    'remote_apply',
    [
      "alter system set synchronous_standby_names = '*'",
      "alter system set synchronous_commit = 'remote_apply'",
    ],
  ],
  ['remote_write', ["alter system set synchronous_commit = 'remote_write'"]],
  ['on', ["alter system set synchronous_commit = 'on'"]],
]

/** One client, then all at once. */
async function latencies(sites: Sites): Promise<string> {
  const alone: number[] = []
  for (let i = 0; i < 40; i += 1) {
    const startMs = performance.now()
    assert.ok(await sites.sendEast(`Alone ${Math.random()}`))
    alone.push(performance.now() - startMs)
  }
  const { accepted, end } = sites.load()
  const startMs = performance.now()
  await eventually(async () => accepted.length >= 150, 'messages are accepted')
  const perSecond = (accepted.length / (performance.now() - startMs)) * 1000
  await end()
  const at = (share: number) => alone.sort((a, b) => a - b)[Math.floor(alone.length * share)]!
  return `median ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms; all clients: ${perSecond.toFixed(0)} a second`
}
