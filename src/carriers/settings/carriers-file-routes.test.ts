// Routes and networks of a carriers file: their bounds, what they become, and which mistakes are reported.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import { readCarriers, readCarriersOf } from './read-carriers.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-routes-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Fields = Record<string, unknown>

const PUBLIC_URL = 'https://sms.ours.test'
const CAMPAIGN = `cmp_${'0'.repeat(26)}`
const sims = (...names: string[]) => names.map((name) => ({ name, kind: 'simulator' }))

function fileOf(contents: unknown): string {
  const file = path.join(folder, 'carriers.json')
  writeFileSync(file, JSON.stringify(contents))
  return file
}

function read(contents: unknown) {
  const file = fileOf(contents)
  return readCarriers({ file, allowsSimulator: true, publicUrl: PUBLIC_URL, variable: () => null })
}

/** Without the file and line. */
function problemsOf(contents: unknown): string[] {
  try {
    read(contents)
    return []
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    return error.problems.map((problem) => problem.replace(/^.*?carriers\.json:\d+ /, ''))
  }
}

const routesOf = (routes: Fields[], links = sims('a', 'b', 'c')) => read({ links, routes }).routes
const problemsIn = (...routes: Fields[]) => problemsOf({ links: sims('a', 'b', 'c'), routes })

test('without routes, the first link gets everything, and the others take over in order', () => {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const { routes, warnings } = read({ links: sims('a', 'b', 'c') })
  const links = [{ link: 'a', share: 1 }]
  assert.deepEqual(routes, [
    { name: 'route-1', ...any, links, failover: ['b', 'c'], onSlowDown: 'wait' },
  ])
  assert.deepEqual(warnings, [])
})

test('a route has its conditions, its shares, and its name or its place', () => {
  const conditions = {
    ...{ networks: ['att', 'tmo', 'vzw', 'other'], prefixes: ['+1415'] },
    ...{ campaigns: [CAMPAIGN], types: ['SMS', 'MMS'] },
  }
  const routes = routesOf([
    { ...conditions, links: ['a'], onSlowDown: 'next' },
    { name: 'rest', links: ['a', 'b'], shares: { a: 70, b: 30 }, failover: ['c'] },
  ])
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  assert.deepEqual(routes, [
    {
      ...{ name: 'route-1', ...conditions, links: [{ link: 'a', share: 1 }] },
      ...{ failover: [], onSlowDown: 'next' },
    },
    {
      ...{ name: 'rest', ...any, failover: ['c'], onSlowDown: 'wait' },
      links: [
        { link: 'a', share: 70 },
        { link: 'b', share: 30 },
      ],
    },
  ])
  assert.equal(routesOf([{ types: ['SMS'], links: ['a'] }, { links: ['b'] }])[1]!.name, 'route-2')
})

test('lists of a route have their bounds', () => {
  const many = Array.from({ length: 101 }, (_, i) => `l${i}`)
  const prefixes = Array.from({ length: 1_001 }, (_, i) => `+1${2_000 + i}`)
  const campaigns = prefixes.map((_, i) => `cmp_${String(i).padStart(26, '0')}`)
  const routes = Array.from({ length: 501 }, (_, i) => ({ prefixes: [`+1${i}`], links: ['l0'] }))
  const links = sims('l0')
  const all = many.slice(0, 100)
  for (const [contents, isGood] of [
    [{ links: sims(...all) }, true],
    [{ links: sims(...many) }, false],
    [{ links: [] }, false],
    [{ links, routes: routes.slice(0, 500) }, true],
    [{ links, routes }, false],
    [{ links, routes: [] }, false],
    [{ links: sims(...all), routes: [{ links: all }] }, true],
    [{ links: sims(...all), routes: [{ links: [] }] }, false],
    [{ links: sims(...all), routes: [{ links: ['l0'], failover: all.slice(1) }] }, true],
    [{ links, routes: [{ links: ['l0'], prefixes: prefixes.slice(0, 1_000) }] }, true],
    [{ links, routes: [{ links: ['l0'], prefixes }] }, false],
    [{ links, routes: [{ links: ['l0'], prefixes: [] }] }, false],
    [{ links, routes: [{ links: ['l0'], campaigns: campaigns.slice(0, 1_000) }] }, true],
    [{ links, routes: [{ links: ['l0'], campaigns }] }, false],
    [{ links, routes: [{ links: ['l0'], networks: [] }] }, false],
    [{ links, routes: [{ links: ['l0'], networks: Array(4).fill('att') }] }, true],
    [{ links, routes: [{ links: ['l0'], networks: Array(5).fill('att') }] }, false],
    [{ links, routes: [{ links: ['l0'], types: [] }] }, false],
    [{ links, routes: [{ links: ['l0'], types: ['MMS', 'SMS'] }] }, true],
    [{ links, routes: [{ links: ['l0'], types: ['MMS', 'SMS', 'SMS'] }] }, false],
    [{ links, routes: [{ links: ['l0'], shares: { l0: 1 } }] }, true],
    [{ links, routes: [{ links: ['l0'], shares: { l0: 1_000_000 } }] }, true],
    [{ links, routes: [{ links: ['l0'], shares: { l0: 1_000_001 } }] }, false],
    [{ links, routes: [{ links: ['l0'], onSlowDown: 'wait' }] }, true],
    [{ links, routes: [{ links: ['l0'], onSlowDown: '' }] }, false],
    [{ links, routes: [{ links: ['l0'], prefixes: ['+1'] }] }, true],
    [{ links, routes: [{ links: ['l0'], prefixes: ['1415'] }] }, false],
    [{ links, routes: [{ links: ['l0'], prefixes: ['+0'] }] }, false],
  ] as const) {
    const problems = problemsOf(contents)
    const text = JSON.stringify(contents.valueOf()).slice(0, 40) + problems.join()
    assert.equal(problems.length === 0, isGood, text)
  }
})

test('mistakes in routes are reported with the place and the way out', () => {
  const own = { prefixes: ['+1415'] }
  for (const [routes, problems] of [
    [
      [{ links: ['a'] }, { ...own, links: ['b'] }, { links: ['c'] }],
      [
        'routes[1] is never reached: the route before it takes everything.',
        'routes[2] is never reached: the route before it takes everything.',
      ],
    ],
    [[{ ...own, links: ['a'] }, { types: ['SMS'], links: ['b'] }, { links: ['c'] }], []],
    [
      [
        { networks: ['att'], links: ['a'] },
        { campaigns: [CAMPAIGN], links: ['b'] },
      ],
      [],
    ],
    [
      [
        { ...own, name: 'x', links: ['a'] },
        { name: 'x', links: ['b'] },
      ],
      ['routes[1].name is "x" twice: choose another.'],
    ],
    [
      [
        { ...own, name: 'x', links: ['a'] },
        { name: 'y', links: ['b'] },
      ],
      [],
    ],
    [
      [{ links: ['a', 'a'], failover: ['b', 'b'] }],
      [
        'routes[0].links[1] names a a second time: once is enough.',
        'routes[0].failover[1] names b a second time: once is enough.',
      ],
    ],
    [
      [{ links: ['nowhere-near'] }],
      ['routes[0].links[0] names the link nowhere-near, which is not in links: there is a, b, c.'],
    ],
    [
      [{ links: ['a'], shares: { a: 1, 'B C': 2 } }],
      ['routes[0].shares.B C must be the name of a link.'],
    ],
    [
      [{ links: ['a', 'b'], shares: { a: 1, c: 2 } }],
      [
        'routes[0].shares needs the share of b.',
        'routes[0].shares.c is the share of a link that the route’s links do not name.',
      ],
    ],
  ] as [Fields[], string[]][]) {
    const found = problemsIn(...routes).toSorted()
    assert.deepEqual(found, problems.toSorted(), JSON.stringify(routes))
  }
})

test('a link in a route or its failover is used, and any other only receives', () => {
  const links = sims('a', 'b', 'c')
  const { warnings } = read({ links, routes: [{ links: ['a'], failover: ['c'] }] })
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /links\[1\] \(b\) is in no route: it only receives/)
})

test('prefixes of networks are read with and without a plus, and results are valid for days', () => {
  const networksOf = (networks?: Fields) => read({ links: sims('a'), networks }).networks
  const day = 86_400_000
  assert.deepEqual(networksOf(), { prefixes: new Map(), learnedMs: 30 * day })
  assert.deepEqual(networksOf({ prefixes: { 1415: 'att', '+1310': 'vzw', '+1212': 'tmo' } }), {
    prefixes: new Map([
      ['+1415', 'att'],
      ['+1310', 'vzw'],
      ['+1212', 'tmo'],
    ]),
    learnedMs: 30 * day,
  })
  for (const [learnedDays, isGood] of [
    [0, false],
    [1, true],
    [3_650, true],
    [3_651, false],
  ] as const) {
    const contents = { links: sims('a'), networks: { learnedDays } }
    assert.equal(problemsOf(contents).length === 0, isGood, String(learnedDays))
    if (isGood) assert.equal(networksOf({ learnedDays }).learnedMs, learnedDays * day)
  }
})

test('fields of every link become its settings', () => {
  const link = { ...sims('a')[0]!, overlap: true, drainSeconds: 1.5, failbackSeconds: 0 }
  const { settings, create, ...rest } = read({ links: [{ ...link, hostsStock: false }] }).links[0]!
  assert.deepEqual(rest, {
    ...{ name: 'a', kind: 'simulator', isConnected: false, mayOverlap: true },
    ...{ drainMs: 1_500, failbackMs: 0, hostsStock: false },
  })
  assert.equal(read({ links: sims('a') }).links[0]!.hostsStock, null)
})

test('each duplicate name is reported, at the second link', () => {
  assert.deepEqual(problemsOf({ links: sims('a', 'b', 'a', 'b') }), [
    'links[2].name is "a" twice: choose another.',
    'links[3].name is "b" twice: choose another.',
  ])
})

test('a service without a carriers file has no carrier settings', () => {
  const config = { allowsSimulator: true, publicUrl: PUBLIC_URL }
  assert.equal(readCarriersOf({ ...config, carriersFile: null }), null)
  const carriersFile = fileOf({ links: sims('a') })
  assert.equal(readCarriersOf({ ...config, carriersFile })!.links[0]!.name, 'a')
  assert.throws(
    () => readCarriersOf({ ...config, allowsSimulator: false, carriersFile }),
    /reports deliveries that never happened/,
  )
})
