// A link goes down with the first failure and comes back with the first successful probe.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LinkHealth } from './link-health.js'

const HOUR_MS = 3_600_000

async function started(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const provider = { detail: null as string | null, probes: 0 }
  const changes: (string | null)[] = []
  const health = new LinkHealth({
    probe: async () => {
      provider.probes += 1
      return provider.detail
    },
    everyMs: HOUR_MS,
    onChange: (detail) => changes.push(detail),
  })
  t.after(() => health.stop())
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  health.start()
  await pass(0)
  return { health, provider, changes, pass }
}

test('a failed message starts probes with growing delays, long before the next regular probe', async (t) => {
  const { health, provider, changes, pass } = await started(t)
  provider.detail = 'refused'
  health.fail('no response')
  assert.equal(health.detail, 'no response')
  health.fail('no response') // delays no probe
  for (const [delayMs, probes] of [
    [500, 2],
    [1_000, 3],
    [2_000, 4],
  ] as const) {
    await pass(delayMs - 1)
    assert.equal(provider.probes, probes - 1)
    await pass(1)
    assert.equal(provider.probes, probes)
  }
  provider.detail = null
  await pass(4_000)
  assert.deepEqual([health.detail, changes], [null, ['no response', 'refused', null]])
})

test('after a recovery, the next failure is probed soon again, and a stopped link sends no probes', async (t) => {
  const { health, provider, pass } = await started(t)
  for (const probes of [2, 3]) {
    health.fail('no response')
    await pass(500)
    assert.deepEqual([health.detail, provider.probes], [null, probes])
  }
  await pass(HOUR_MS)
  assert.equal(provider.probes, 4, 'the regular one')
  health.stop()
  health.fail('no response')
  await pass(HOUR_MS)
  assert.deepEqual([health.detail, provider.probes], [null, 4])
})

test('the delay between probes grows to a minute at most', async (t) => {
  const { health, provider, pass } = await started(t)
  provider.detail = 'refused'
  health.fail('refused')
  for (let delayMs = 500; delayMs < 60_000; delayMs *= 2) await pass(delayMs)
  for (let i = 0; i < 2; i += 1) {
    const { probes } = provider
    await pass(59_999)
    assert.equal(provider.probes, probes)
    await pass(1)
    assert.equal(provider.probes, probes + 1)
  }
})
