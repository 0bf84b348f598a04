// The rate of a link with a contract, and of one without.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { submission } from '../../test/smpp-fixtures.js'
import { startLink } from '../../test/smpp-link.js'
import { startPeer } from '../../test/smpp-peer.js'
import { until } from '../../test/until.js'
import { LinkRate } from './link-rate.js'

function leaving(rate: LinkRate, from: number, to: number, most = Number.POSITIVE_INFINITY) {
  let count = 0
  for (let now = from; now < to; now++) {
    while (count < (most * (now - from + 1)) / 1_000 && rate.take(now) === 0) {
      const part = {}
      rate.left(part, rate, now)
      rate.ended(part, true, now)
      count += 1
    }
  }
  return count
}

test('a link stays within its contract rate, and halves it when the carrier throttles', () => {
  const rate = new LinkRate(100, 0)
  const first = leaving(rate, 0, 10_000)
  assert.ok(first > 950 && first <= 1_010, String(first))
  assert.deepEqual(rate.status(), { perSecond: 100, contract: 100 })
  rate.throttled(10_000)
  assert.equal(rate.status()!.perSecond, 50)
  assert.equal(leaving(rate, 10_001, 10_999), 0)
})

test('a link without a contract has no limit until the carrier throttles it', () => {
  const rate = new LinkRate(null, 0)
  assert.equal(rate.status(), null)
  assert.equal(leaving(rate, 0, 1_000, 500), 500)
  rate.throttled(1_000)
  assert.deepEqual(rate.status(), { perSecond: 250, contract: 500 })
  assert.equal(leaving(rate, 1_001, 1_999), 0)
  const next = leaving(rate, 2_000, 3_000)
  assert.ok(next >= 240 && next <= 300, String(next))
})

test('throttling after a pause lowers the allowed rate, not the burst that the pause accumulated', () => {
  const rate = new LinkRate(null, 0)
  leaving(rate, 0, 1_000, 500)
  rate.throttled(1_000)
  assert.equal(rate.take(2_100), 0)
  rate.throttled(2_200)
  assert.deepEqual(rate.status(), { perSecond: 125, contract: 250 })
})

test('an estimated rate grows while the carrier does not throttle, and is dropped in the end', () => {
  const rate = new LinkRate(null, 0)
  assert.equal(rate.take(0), 0)
  rate.throttled(1)
  assert.deepEqual(rate.status(), { perSecond: 5, contract: 10 })
  leaving(rate, 2, 30_000)
  assert.ok(rate.status()!.perSecond > 1_000, String(rate.status()!.perSecond))
  leaving(rate, 30_000, 62_000, 100)
  assert.equal(rate.status(), null)
})

test('a carrier receives at most the contract rate in any second, even after it did not read for a while', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { perSecond: 20, binds: 2, window: 20 } })
  const arrivals: number[] = []
  peer.onSubmit = (bind, pdu) => {
    arrivals.push(performance.now())
    bind.take(pdu, `id-${arrivals.length}`)
  }
  const long = submission({ body: 'x'.repeat(400) })
  const submitted = link.submit(Array.from({ length: 30 }, (_, i) => (i % 3 ? submission() : long)))
  await until(() => arrivals.length >= 10, 'the first')
  for (const { socket } of peer.binds) socket.pause()
  await sleep(400)
  for (const { socket } of peer.binds) socket.resume()
  const answers = await submitted
  assert.ok(answers.every(({ kind }) => kind === 'sent'))
  assert.equal(arrivals.length, 50)
  const counts = arrivals.map((at) => arrivals.filter((b) => b >= at && b <= at + 1_000).length)
  assert.ok(Math.max(...counts) <= 20, `${Math.max(...counts)} in a second`)
})
