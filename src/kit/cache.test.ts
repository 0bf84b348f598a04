// What a cache stores, for how long, how much, and what concurrent readers get.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cache, type CacheOptions } from './cache.js'

function stage(options: Partial<CacheOptions<string | null>> = {}) {
  const time = { ms: 1_000 }
  const nowMs = () => time.ms
  const cache = new Cache<string, string | null>({ max: 10, keptMs: 100, nowMs, ...options })
  const loads: { key: string; resolve: (value: string) => void; reject: (e: Error) => void }[] = []
  const load = (key: string) =>
    new Promise<string>((resolve, reject) => loads.push({ key, resolve, reject }))
  return { cache, time, load, loads }
}

test('a value is valid for its time, to the millisecond', () => {
  const { cache, time } = stage()
  assert.equal(cache.peek('a'), undefined)
  cache.set('a', 'one')
  time.ms += 99
  assert.equal(cache.peek('a'), 'one')
  assert.equal(cache.peek('b'), undefined)
  time.ms += 1
  assert.equal(cache.peek('a'), undefined)
})

test('null is cached like any other value', async () => {
  const { cache, load, loads } = stage()
  cache.set('a', null)
  assert.equal(cache.peek('a'), null)
  assert.equal(await cache.get('a', load), null)
  assert.equal(loads.length, 0)
})

test('concurrent readers share one lookup, and later readers get its value', async () => {
  const { cache, time, load, loads } = stage()
  const answers = Promise.all([cache.get('a', load), cache.get('a', load), cache.get('b', load)])
  assert.equal(cache.peek('a'), undefined, 'not cached yet')
  assert.deepEqual(
    loads.map(({ key }) => key),
    ['a', 'b'],
  )
  time.ms += 60
  for (const { key, resolve } of loads) resolve(`value of ${key}`)
  assert.deepEqual(await answers, ['value of a', 'value of a', 'value of b'])
  assert.equal(cache.peek('a'), 'value of a')
  assert.equal(await cache.get('a', load), 'value of a')
  time.ms += 40
  assert.equal(cache.peek('a'), undefined, 'it had expired when it arrived')
  assert.equal(loads.length, 2)
})

test('a failed lookup is not cached, and the next one may succeed', async () => {
  const { cache, load, loads } = stage()
  const failing = [cache.get('a', load), cache.get('a', load)]
  loads[0]!.reject(new Error('not now'))
  for (const asked of failing) await assert.rejects(asked, /not now/)
  const again = cache.get('a', load)
  loads[1]!.resolve('one')
  assert.equal(await again, 'one')
})

test('a value deleted during its lookup goes only to those who wait for it', async () => {
  const { cache, load, loads } = stage()
  const first = cache.get('a', load)
  assert.equal(cache.delete('a'), false)
  const second = cache.get('a', load)
  loads[1]!.resolve('new')
  assert.equal(await second, 'new')
  loads[0]!.resolve('old')
  assert.equal(await first, 'old')
  assert.equal(cache.peek('a'), 'new')
  assert.equal(cache.delete('a'), true)
  assert.equal(cache.peek('a'), undefined)
})

test('a value can set its own lifetime, or opt out of caching', () => {
  const { cache, time } = stage({ keptMs: (value) => Number(value) })
  cache.set('a', '50')
  cache.set('b', '70')
  cache.set('a', '0')
  assert.equal(cache.peek('a'), undefined, 'the previous value is gone, too')
  time.ms += 69
  assert.equal(cache.peek('b'), '70')
  time.ms += 1
  assert.equal(cache.peek('b'), undefined)
})

test('a full cache evicts its oldest tenth, and a value that is set again counts as new', () => {
  const { cache } = stage({ max: 20, keptMs: Infinity })
  for (let i = 0; i < 20; i += 1) cache.set(`k${i}`, 'x')
  cache.set('k0', 'y')
  const known = () => Array.from({ length: 21 }, (_, i) => i).filter((i) => cache.peek(`k${i}`))
  assert.equal(known().length, 20, 'setting a value again evicts nothing')
  cache.set('k20', 'x')
  assert.deepEqual(known(), [0, ...Array.from({ length: 18 }, (_, i) => i + 3)])
})

test('a cache of one has one entry', () => {
  const { cache } = stage({ max: 1 })
  cache.set('a', '1')
  cache.set('b', '2')
  assert.deepEqual([cache.peek('a'), cache.peek('b')], [undefined, '2'])
})

test('expired values are removed when the cache is purged', () => {
  const { cache, time } = stage()
  cache.set('a', '1')
  time.ms += 50
  cache.set('b', '2')
  time.ms += 50
  cache.evictExpired()
  assert.equal(cache.delete('a'), false)
  assert.equal(cache.delete('b'), true)
})
