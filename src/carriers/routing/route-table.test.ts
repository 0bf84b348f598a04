// Which links a message may use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Network, RoutedMessage } from '../../messages/carrier-port.js'
import type { RouteSettings } from '../settings/carrier-settings.js'
import { RouteTable } from './route-table.js'

function route(links: Record<string, number>, more: Partial<RouteSettings> = {}): RouteSettings {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const shares = Object.entries(links).map(([link, share]) => ({ link, share }))
  const name = Object.keys(links).join()
  return { name, ...any, links: shares, failover: [], onSlowDown: 'wait', ...more }
}

const MESSAGE: RoutedMessage = {
  from: '+12125550100',
  to: '+14155550107',
  campaignId: 'cmp_1',
  type: 'SMS',
}

function linksOf(
  routes: RouteSettings[],
  message: Partial<RoutedMessage> = {},
  network: Network | null = null,
  isHost = (_link: string) => true,
): string[] | null {
  const given = { ...MESSAGE, ...message }
  const found = new RouteTable(routes).routeOf(given, () => network, isHost)
  return found?.linksFor(given.to, isHost) ?? null
}

test('the first route whose conditions all match decides', () => {
  const routes = [
    route({ campaign: 1 }, { campaigns: ['cmp_2', 'cmp_3'] }),
    route({ both: 1 }, { networks: ['tmo'], prefixes: ['+1212', '+1415'] }),
    route({ unknown: 1 }, { networks: ['other'], types: ['MMS'] }),
    route({ rest: 1 }, { failover: ['spare', 'last'] }),
  ]
  assert.deepEqual(linksOf(routes, { campaignId: 'cmp_3' }, 'tmo'), ['campaign'])
  assert.deepEqual(linksOf(routes, {}, 'tmo'), ['both'])
  assert.deepEqual(linksOf(routes, { to: '+13105550107' }, 'tmo'), ['rest', 'spare', 'last'])
  assert.deepEqual(linksOf(routes, {}, 'att'), ['rest', 'spare', 'last'])
  assert.deepEqual(linksOf(routes, { type: 'MMS' }, null), ['unknown'])
  assert.equal(linksOf(routes.slice(0, 2), {}, 'att'), null)
})

test('the network is looked up only if a route depends on it', () => {
  const table = new RouteTable([
    route({ a: 1 }, { campaigns: ['cmp_2'], networks: ['att'] }),
    route({ b: 1 }),
  ])
  const never = () => assert.fail('no lookup is needed')
  const any = () => true
  assert.deepEqual(table.routeOf(MESSAGE, never, any)?.linksFor(MESSAGE.to, any), ['b'])
})

const numbers = Array.from({ length: 20_000 }, (_, i) => `+1415${String(2_000_000 + i)}`)
const firstOf = (links: Record<string, number>) =>
  numbers.map((to) => linksOf([route(links)], { to })![0]!)
const shareOf = (chosen: string[], link: string) =>
  chosen.filter((one) => one === link).length / chosen.length

test('links split the traffic by their shares, and each recipient stays with one link', () => {
  const chosen = firstOf({ a: 70, b: 20, c: 10 })
  for (const [link, share] of [
    ['a', 0.7],
    ['b', 0.2],
    ['c', 0.1],
  ] as const) {
    assert.ok(Math.abs(shareOf(chosen, link) - share) < 0.02, `${link}: ${shareOf(chosen, link)}`)
  }
  assert.deepEqual(firstOf({ c: 10, b: 20, a: 70 }), chosen, 'in any order')
})

test('removing a link moves only its own recipients, to the others by their shares', () => {
  const before = firstOf({ a: 70, b: 20, c: 10 })
  const after = firstOf({ b: 20, c: 10 })
  const moved = after.filter((_, i) => before[i] === 'a')
  before.forEach((link, i) => {
    if (link !== 'a') assert.equal(after[i], link)
  })
  assert.ok(Math.abs(shareOf(moved, 'b') - 2 / 3) < 0.02)
  assert.deepEqual(
    numbers.slice(0, 100).map((to) => linksOf([route({ a: 70, b: 20, c: 10 })], { to })!.length),
    Array(100).fill(3),
    'the others take over its recipients',
  )
})

test('only links that host the sender are considered, in routes and in failover', () => {
  const hostedBy =
    (...hosts: string[]) =>
    (link: string) =>
      hosts.includes(link)
  const routes = [
    route({ telnyx: 1 }, { campaigns: ['cmp_2'] }),
    route({ smpp: 1 }, { networks: ['att'] }),
    route({ telnyx: 70, other: 30 }, { failover: ['twilio', 'bandwidth'] }),
  ]
  assert.deepEqual(linksOf(routes, {}, null, hostedBy('telnyx')), ['telnyx'])
  assert.deepEqual(linksOf(routes, {}, null, hostedBy('twilio')), ['twilio'])
  assert.deepEqual(linksOf(routes, {}, 'att', hostedBy('smpp')), ['smpp'])
  assert.deepEqual(linksOf(routes, {}, 'att', hostedBy('twilio')), ['twilio'], 'the next route')
  assert.equal(linksOf(routes, {}, null, hostedBy('elsewhere')), null)
  const named = { campaignId: 'cmp_2' }
  assert.deepEqual(linksOf(routes, named, null, hostedBy('telnyx')), ['telnyx'])
  assert.deepEqual(
    linksOf(routes, named, null, hostedBy('twilio')),
    [],
    'a route that names the campaign decides for it',
  )
})

test('a recipient stays with its link across releases', () => {
  const chosen = numbers.slice(0, 48).map((to) => linksOf([route({ a: 3, b: 2, c: 1 })], { to })!)
  assert.equal(
    chosen.map(([first]) => first).join(''),
    'bbabccacabbbabbabaabbaaacaacaabbaaabbaabaabcbbaa',
  )
})

test('a type, a campaign, a prefix, or a network that does not match excludes a route', () => {
  for (const [more, message] of [
    [{ types: ['MMS'] }, { type: 'SMS' }],
    [{ types: ['SMS'] }, { type: 'MMS' }],
    [{ campaigns: ['cmp_1'] }, { campaignId: 'cmp_2' }],
    [{ prefixes: ['+1415'] }, { to: '+12125550100' }],
    [{ networks: ['att'] }, {}],
  ] as [Partial<RouteSettings>, Partial<RoutedMessage>][]) {
    assert.equal(linksOf([route({ a: 1 }, more)], message, 'tmo'), null, JSON.stringify(more))
  }
})

test('a throttled message may continue only if the route says next', () => {
  for (const [onSlowDown, triesNext] of [
    ['next', true],
    ['wait', false],
  ] as const) {
    const table = new RouteTable([route({ a: 1 }, { onSlowDown })])
    const found = table.routeOf(
      MESSAGE,
      () => null,
      () => true,
    )
    assert.equal(found!.triesNext, triesNext)
  }
})
