// Which links can send from which numbers, and what a campaign's routes may use.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NumberHosting, NumberHosts } from './number-hosting.js'

type Links = ConstructorParameters<typeof NumberHosting>[0]['links']
type Route = ConstructorParameters<typeof NumberHosting>[0]['routes'][number]

const smpp = (name: string) => ({ name, kind: 'smpp', hostsStock: null })
const provider = (name: string, account: string) => ({ ...smpp(name), kind: 'twilio', account })
const simulator = (name: string) => ({ ...smpp(name), kind: 'simulator' })

function routeTo(links: string[], more: Partial<Route> = {}): Route {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const shares = links.map((link) => ({ link, share: 1 }))
  return { name: 'r', ...any, links: shares, failover: [], onSlowDown: 'wait', ...more }
}

const hostingOf = (links: Links, routes: Route[] = []) => new NumberHosting({ links, routes })

test('a number bought through a link is hosted by every link of the same account, and by no other', () => {
  const hosting = hostingOf([
    smpp('s'),
    provider('a', 'A'),
    provider('a2', 'A'),
    provider('b', 'B'),
  ])
  const hostsOf = (link: string) => hosting.hostsOf({ link, hosts: null })
  assert.deepEqual(hostsOf('a'), ['a', 'a2'])
  assert.deepEqual(hostsOf('b'), ['b'])
  assert.deepEqual(hostsOf('s'), ['s'], 'a link without an account is its own')
  assert.deepEqual(hostsOf('gone'), [])
  for (const [link, other, isSame] of [
    ['a', 'a2', true],
    ['a2', 'a', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['s', 's', true],
    ['gone', 'gone', false],
    ['gone', 'away', false],
    ['a', 'gone', false],
    ['gone', 'a', false],
  ] as const) {
    assert.equal(hosting.isSameAccount(link, other), isSame, `${link} ${other}`)
  }
})

test('your own numbers are hosted by the links in their import, or by the links for unnamed ones', () => {
  const named = { link: null, hosts: ['b'] }
  const unnamed = { link: null, hosts: null }
  const hosting = hostingOf([smpp('s'), provider('a', 'A'), provider('b', 'B')])
  assert.deepEqual(hosting.hostsOf(named), ['b'])
  assert.deepEqual(hosting.hostsOf(unnamed), ['s'])
  assert.equal(hosting.hosts('s', null), false, 'nobody owns it')
  assert.deepEqual(hosting.hostsOf({ link: 'a', hosts: ['b'] }), ['a'], 'where it was bought wins')
})

test('unnamed numbers are hosted by SMPP links and by the only account, unless a link says otherwise', () => {
  const unnamed = { link: null, hosts: null }
  for (const [links, hosts] of [
    [
      [smpp('s'), smpp('s2')],
      ['s', 's2'],
    ],
    [
      [provider('a', 'A'), provider('a2', 'A')],
      ['a', 'a2'],
    ],
    [[provider('a', 'A'), provider('b', 'B')], []],
    [[provider('a', 'A'), smpp('s')], ['s']],
    [
      [provider('a', 'A'), simulator('sim')],
      ['a', 'sim'],
    ],
    [[{ ...smpp('s'), hostsStock: false }, smpp('s2')], ['s2']],
    [[{ ...provider('a', 'A'), hostsStock: true }, provider('b', 'B')], ['a']],
    [[{ ...provider('a', 'A'), hostsStock: false }], []],
  ] as const) {
    assert.deepEqual(hostingOf(links).hostsOf(unnamed), hosts, JSON.stringify(links))
  }
})

test('a simulator hosts every number, and with simulators alone nothing is looked up', () => {
  const mixed = hostingOf([simulator('sim'), smpp('s')])
  for (const number of [null, { link: 's', hosts: null }, { link: null, hosts: ['s'] }]) {
    assert.equal(mixed.hosts('sim', number), true)
  }
  assert.equal(mixed.hosts('s', null), false)
  assert.deepEqual(
    [mixed, hostingOf([simulator('sim')]), hostingOf([smpp('s')])].map(
      ({ isTrivial }) => isTrivial,
    ),
    [false, true, false],
  )
})

test('a campaign may use the links of each route that fits it, up to a route that is only about it', () => {
  const hosting = (...routes: Route[]) => hostingOf([smpp('a')], routes)
  const own = { campaigns: ['cmp_1'] }
  for (const [routes, carriers] of [
    [
      [routeTo(['a', 'b'], { failover: ['c'] }), routeTo(['d'])],
      ['a', 'b', 'c', 'd'],
    ],
    [[routeTo(['a'], { campaigns: ['cmp_2'] }), routeTo(['b'])], ['b']],
    [[routeTo(['a'], own), routeTo(['b'])], ['a']],
    [[routeTo(['a'], { campaigns: ['cmp_2', 'cmp_1'] }), routeTo(['b'])], ['a']],
    [
      [routeTo(['a'], { ...own, networks: ['att'] }), routeTo(['b'])],
      ['a', 'b'],
    ],
    [
      [routeTo(['a'], { ...own, prefixes: ['+1'] }), routeTo(['b'])],
      ['a', 'b'],
    ],
    [
      [routeTo(['a'], { ...own, types: ['SMS'] }), routeTo(['b'])],
      ['a', 'b'],
    ],
    [[], []],
  ] as [Route[], string[]][]) {
    assert.deepEqual([...hosting(...routes).carriersOf('cmp_1')], carriers, JSON.stringify(routes))
  }
})

test('a campaign buys the numbers that one of its links can send from', () => {
  const links = [smpp('s'), provider('a', 'A'), provider('b', 'B'), simulator('sim')]
  const stockFor = (names: string[]) => hostingOf(links, [routeTo(names)]).stockFor('cmp_1')
  assert.deepEqual(stockFor(['a', 's']), { links: ['a', 's'], isUnnamedHosted: true })
  assert.deepEqual(stockFor(['a', 'b']), { links: ['a', 'b'], isUnnamedHosted: false })
  assert.equal(stockFor(['a', 'sim']), null, 'a simulator hosts all')
  assert.deepEqual(stockFor([]), { links: [], isUnnamedHosted: false })
  const canSend = (names: string[], link: string) =>
    hostingOf(links, [routeTo(names)]).canSend({ link, hosts: null }, 'cmp_1')
  assert.deepEqual(
    [canSend(['a'], 'a'), canSend(['b', 'a'], 'a'), canSend(['b'], 'a'), canSend([], 'a')],
    [true, true, false, false],
  )
})

/** The hosts of numbers, from a database that answers as the test wants. */
function hostsFrom(t: TestContext, rows: object[]) {
  let nowMs = 5_000_000
  t.mock.method(performance, 'now', () => nowMs)
  const reads: string[][] = []
  const warnings: object[] = []
  const state = { isAway: false }
  const db = {
    query: async ({ values }: { values: unknown[] }) => {
      reads.push(values[0] as string[])
      if (state.isAway) throw new Error('the database is down')
      return rows
    },
  }
  const log = { warn: (facts: object) => warnings.push(facts) }
  const hosts = new NumberHosts({ db, log } as unknown as ConstructorParameters<
    typeof NumberHosts
  >[0])
  const move = (ms: number) => {
    nowMs += ms
  }
  return { hosts, reads, warnings, state, move }
}

const [OWNED, FOREIGN] = ['+14152000001', '+14152000002']

test('the hosts of a number are read once, an owned one again after 30 seconds, a foreign one after a second', async (t) => {
  const row = { phoneNumber: OWNED, link: 'a', hosts: null }
  const { hosts, reads, move } = hostsFrom(t, [row])
  assert.equal(hosts.peek(OWNED), undefined)
  await hosts.readAll([OWNED, FOREIGN, OWNED])
  assert.deepEqual(reads.flat().toSorted(), [OWNED, FOREIGN], 'each once')
  assert.deepEqual([hosts.peek(OWNED), hosts.peek(FOREIGN)], [{ link: 'a', hosts: null }, null])
  assert.deepEqual([hosts.read(OWNED), hosts.read(FOREIGN)], [null, null], 'both are known')
  assert.equal(hosts.readAll([OWNED, FOREIGN]), null)
  move(1_000)
  assert.equal(hosts.peek(FOREIGN), undefined, 'it may just have been bought')
  await hosts.readAll([OWNED, FOREIGN])
  assert.deepEqual(reads.at(-1), [FOREIGN])
  move(28_999)
  assert.deepEqual(hosts.peek(OWNED), { link: 'a', hosts: null })
  move(1)
  assert.equal(hosts.peek(OWNED), undefined)
})

test('a failed read leaves the hosts unknown, is logged, and is tried again', async (t) => {
  const { hosts, reads, warnings, state } = hostsFrom(t, [])
  state.isAway = true
  await hosts.readAll([OWNED])
  assert.deepEqual([hosts.peek(OWNED), warnings.length], [undefined, 1])
  state.isAway = false
  await hosts.readAll([OWNED])
  assert.deepEqual([hosts.peek(OWNED), reads.length], [null, 2])
})
