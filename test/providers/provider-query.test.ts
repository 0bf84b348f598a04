// What a link learns from a provider's list about a message with an unknown outcome, and when it has to query again.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createHttpLink } from '../../src/carriers/providers/http-link.js'
import { createTwilio } from '../../src/carriers/providers/twilio/messages.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import { submission } from '../carrier-conformance.js'
import { twilioFace } from './faces.js'
import { FakeProvider, type Taken } from './fake-provider.js'

const BASE = 'https://sms.ours.test/carrier/acme'
const TO = '+14155550107'
const PAGE = 1_000
const HOUR_MS = 3_600_000

async function startLink(t: TestContext) {
  const fake = new FakeProvider(twilioFace('token'), BASE, () => async () => ({ status: 200 }))
  await fake.start()
  t.after(() => fake.stop())
  const messages = createTwilio({
    ...{ baseUrl: fake.url, lookUpUrl: fake.url, accountSid: `AC${'0'.repeat(32)}` },
    ...{ authToken: 'token', user: 'user', password: 'password', services: new Map() },
    ...{ answersKeywords: true, now: () => new Date() },
  })
  const link = createHttpLink(
    {
      ...{ name: 'acme', kind: 'twilio', concurrency: 2, perSecond: null, shared: false },
      ...{ timeoutMs: 60_000, probeIntervalMs: 60_000, settleMs: 1_000, hasLookUps: false },
      ...{ media: { bytesMax: 1, otherBytesMax: 1 }, unknown: { mayRepeat: false } },
    },
    {
      ...{ messages, address: new CallbackAddress(BASE, 'secret'), clock: new Clock() },
      ...{ log: openLog('silent'), metrics: new Metrics() },
    },
  )
  t.after(() => link.stop())
  const lost = submission(TO, 'Lost')
  /** A message between these numbers, sent some time ago. */
  const has = (count: number, to = TO, agoMs = 0, text = 'x'.repeat(600)) => {
    const at = new Date(Date.now() - agoMs)
    const common = {
      from: lost.from,
      to,
      text,
      statusUrl: null,
      tag: null,
      fields: {},
      at,
      atMs: 0,
    }
    const more = Array.from({ length: count }, (_, i): Taken => ({ ...common, id: `SM${i}` }))
    fake.taken.push(...more)
  }
  return { fake, has, query: () => link.query!(lost, 'acme', new Date()) }
}

const LISTED = { kind: 'listed', link: 'acme', similarIds: [], hasTexts: true }

test('a list without the message proves its absence, however many messages went to other phones', async (t) => {
  const { has, query } = await startLink(t)
  has(PAGE + 10, '+14155550108')
  has(PAGE - 1)
  assert.deepEqual(await query(), { ...LISTED, carrierIds: [], isComplete: true })
})

test('a page that does not reach back to the message proves nothing', async (t) => {
  const { has, query } = await startLink(t)
  has(PAGE + 1)
  assert.deepEqual(await query(), { ...LISTED, carrierIds: [], isComplete: false })
})

test('a page that reaches back to before the message proves its absence', async (t) => {
  const { has, query } = await startLink(t)
  has(PAGE, TO, HOUR_MS)
  has(PAGE - 1)
  assert.deepEqual(await query(), { ...LISTED, carrierIds: [], isComplete: true })
})

test('a provider that responds with 429 or 5xx, or is unreachable, is queried again later', async (t) => {
  const { fake, has, query } = await startLink(t)
  has(1, TO, 0, 'Lost')
  for (const status of [429, 500, 503]) {
    fake.queryStatus = status
    assert.deepEqual(await query(), { kind: 'down' }, String(status))
  }
  fake.queryStatus = 200
  assert.deepEqual(await query(), { ...LISTED, carrierIds: ['SM0'], isComplete: true })
  await fake.stop()
  assert.deepEqual(await query(), { kind: 'down' })
})
