// Number sources and registrars of the current links: which are opened, kept, and closed, and who sells to whom.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registrar } from '../../campaigns/registration/registrar.js'
import type { NumberSource } from '../../numbers/number-source.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import { NumberHosting } from './number-hosting.js'
import { NumberSourcePool, RegistrarPool } from './provider-pools.js'

const closed: string[] = []

function linkOf(name: string, version = 1, more: Partial<LinkSettings> = {}): LinkSettings {
  const client = { link: name, version } as unknown as NumberSource & Registrar
  const open = () => ({ client, close: async () => void closed.push(`${name} ${version}`) })
  const settings = { version }
  const whole = { name, kind: 'telnyx', account: name, hostsStock: null, settings }
  return { ...whole, openNumbers: open, openRegistrar: open, ...more } as unknown as LinkSettings
}

function routeTo(...links: string[]) {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const shares = links.map((link) => ({ link, share: 1 }))
  return { name: 'r', ...any, links: shares, failover: [], onSlowDown: 'wait' as const }
}

function poolOf(links: LinkSettings[], routed = links.map(({ name }) => name)) {
  const hosting = new NumberHosting({ links, routes: [routeTo(...routed)] })
  const pool = new NumberSourcePool(() => hosting)
  pool.follow(links)
  return pool
}

test('a reload keeps unchanged clients, opens changed and new ones, and closes the rest', () => {
  closed.length = 0
  const pool = new RegistrarPool()
  const [a, b, c] = [linkOf('a'), linkOf('b'), linkOf('c')]
  pool.follow([a, b, c])
  const before = pool.find('a')
  assert.ok(before)
  pool.follow([linkOf('a'), linkOf('b', 2), linkOf('d')])
  assert.equal(pool.find('a'), before)
  assert.deepEqual([pool.find('b'), pool.find('c')], [{ link: 'b', version: 2 }, null])
  assert.deepEqual(
    pool.all().map(({ link }) => link),
    ['a', 'b', 'd'],
  )
  assert.deepEqual(closed.toSorted(), ['b 1', 'c 1'])
})

test('links without such a client are left out, and a close closes all', async () => {
  closed.length = 0
  const { openRegistrar: _, ...without } = linkOf('a')
  const pool = new RegistrarPool()
  assert.equal(pool.current(), null)
  pool.follow([without, linkOf('b'), linkOf('c')])
  assert.deepEqual(pool.current(), { link: 'b', version: 1 }, 'the first one gets new submissions')
  assert.equal(pool.find('a'), null)
  await pool.close()
  assert.deepEqual(closed.toSorted(), ['b 1', 'c 1'])
})

test('a campaign buys from the providers that its routes use', () => {
  const pool = poolOf([linkOf('a'), linkOf('b'), linkOf('c')], ['c', 'a'])
  const linksOf = (sources: NumberSource[]) => sources.map(({ link }) => link)
  const sellersFor = (registeredBy: string | null) =>
    linksOf(pool.sellersFor({ id: 'cmp_1', registeredBy }))
  assert.deepEqual(linksOf(pool.sellers()), ['a', 'b', 'c'])
  assert.deepEqual(sellersFor(null), ['a', 'c'], 'in the order of the links')
  assert.deepEqual(sellersFor('c'), ['c'], 'registered elsewhere, its messages would be blocked')
  assert.deepEqual(sellersFor('b'), [])
  assert.deepEqual(pool.stockFor('cmp_1'), { links: ['c', 'a'], isUnnamedHosted: false })
  const canSend = (link: string) => pool.canSend({ link, hosts: null }, 'cmp_1')
  assert.deepEqual([canSend('a'), canSend('b')], [true, false])
})

test('numbers are sold only with a provider that sells them', () => {
  const { openNumbers: _, ...without } = linkOf('a')
  assert.equal(poolOf([without]).sells, false)
  assert.equal(poolOf([linkOf('a')]).sells, true)
})
