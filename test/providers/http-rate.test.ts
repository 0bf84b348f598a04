// The rate of a link to a provider, measured at the provider: exact in every second, shared by several processes, and
// spent only on messages that are sent.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createHttpLink, type HttpLinkSettings } from '../../src/carriers/providers/http-link.js'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import type { Carrier } from '../../src/messages/carrier-port.js'
import { submission } from '../carrier-conformance.js'
import { cloneDatabase } from '../harness.js'
import { telnyxFace } from './faces.js'
import { FakeProvider } from './fake-provider.js'

const BASE = 'https://sms.ours.test/carrier/acme'
const GOOD = '+14155550107'
const PER_SECOND = 20

async function startProvider(t: TestContext) {
  const face = telnyxFace()
  const fake = new FakeProvider(face, BASE, () => async () => ({ status: 200 }))
  await fake.start()
  t.after(() => fake.stop())
  const start = (more: Partial<HttpLinkSettings> = {}, db?: Database): Carrier => {
    const { publicKey } = face
    const own = { baseUrl: fake.url, key: 'KEY', publicKey, profiles: new Map() }
    const link = createHttpLink(
      {
        ...{
          name: 'acme',
          kind: 'telnyx',
          concurrency: 20,
          timeoutMs: 10_000,
          probeIntervalMs: 60_000,
        },
        media: { bytesMax: 1_000_000, otherBytesMax: 1_000_000 },
        ...{ settleMs: 1_000, unknown: { mayRepeat: false }, hasLookUps: false },
        ...{ perSecond: PER_SECOND, shared: false, ...more },
      },
      {
        ...{ messages: createTelnyx({ ...own, answersKeywords: true }) },
        ...{ address: new CallbackAddress(BASE, 'secret'), clock: new Clock() },
        ...{ log: openLog('silent'), metrics: new Metrics(), ...(db && { db }) },
      },
    )
    t.after(() => link.stop())
    return link
  }
  return { fake, start }
}

function mostInSecond({ taken }: FakeProvider): number {
  const arrivals = taken.map(({ atMs }) => atMs)
  return Math.max(
    ...arrivals.map((at) => arrivals.filter((other) => other >= at && other <= at + 1_000).length),
  )
}

async function sendAll(link: Carrier, count: number): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const batch = Array.from({ length: Math.min(10, count - sent) }, () => submission(GOOD, 'Hi'))
    const answers = await link.submit(batch)
    sent += answers.filter(({ kind }) => kind === 'sent').length
  }
}

test('a link sends at most perSecond requests in any second', async (t) => {
  const { fake, start } = await startProvider(t)
  const link = start()
  await sendAll(link, 70)
  assert.equal(fake.taken.length, 70)
  assert.ok(mostInSecond(fake) <= PER_SECOND, `${mostInSecond(fake)} in a second`)
  assert.deepEqual(link.links?.()[0]?.rate, { perSecond: PER_SECOND, contract: PER_SECOND })
  assert.equal(link.capacityOf?.(''), 2 * PER_SECOND)
})

test('two processes that share a link stay within perSecond together', async (t) => {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({ url, poolMax: 6, applicationName: 'test', onError: () => {} })
  t.after(async () => {
    await db.end()
    await drop()
  })
  const { fake, start } = await startProvider(t)
  const links = [start({ shared: true }, db), start({ shared: true }, db)]
  await Promise.all(links.map((link) => sendAll(link, 40)))
  assert.equal(fake.taken.length, 80)
  assert.ok(mostInSecond(fake) <= PER_SECOND, `${mostInSecond(fake)} in a second`)
})

test('a message without a permit does not count against the rate', async (t) => {
  const { fake, start } = await startProvider(t)
  const link = start({ perSecond: 0.1 })
  // At one message per ten seconds, twenty would take minutes.
  const refused = Array.from({ length: 20 }, () => ({
    ...submission(GOOD, 'No permit'),
    requestPermit: async () => null,
  }))
  const answers = await link.submit(refused)
  assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['window_missed']))
  const [sent] = await link.submit([submission(GOOD, 'Permitted')])
  assert.equal(sent?.kind, 'sent')
  assert.deepEqual(
    fake.taken.map(({ text }) => text),
    ['Permitted'],
  )
})

test('a message that would wait too long for its turn is returned to the queue', async (t) => {
  const { fake, start } = await startProvider(t)
  const link = start({ perSecond: 0.1, timeoutMs: 30_000 })
  const answers = await link.submit([submission(GOOD, 'One'), submission(GOOD, 'Two')])
  assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), ['sent', 'slow_down'])
  assert.equal(fake.taken.length, 1)
})
