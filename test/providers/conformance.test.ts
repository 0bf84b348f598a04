// The links over providers' HTTP APIs, through the suite that every link must pass.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createBandwidth } from '../../src/carriers/providers/bandwidth/messages.js'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createHttpLink } from '../../src/carriers/providers/http-link.js'
import type { MessageApi } from '../../src/carriers/providers/provider.js'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { createTwilio } from '../../src/carriers/providers/twilio/messages.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import type { Carrier } from '../../src/messages/carrier-port.js'
import { type FarSide, type LinkStage, submission, testCarrier } from '../carrier-conformance.js'
import { eventually } from '../harness.js'
import { bandwidthFace, telnyxFace, twilioFace } from './faces.js'
import { type Face, FakeProvider } from './fake-provider.js'

const GOOD = '+14155550107'
const REFUSED = '+14155550110'
const BASE = 'https://ours.test/carrier/acme'

async function stage(
  t: TestContext,
  { face, code, make }: { face: Face; code: string; make: (url: string) => MessageApi },
): Promise<LinkStage> {
  const link: { current: Carrier | null } = { current: null }
  const clock = new Clock()
  const fake = new FakeProvider(face, BASE, () => (_path, request) => {
    return link.current!.callback!('acme', request)
  })
  await fake.start()
  t.after(() => fake.stop())
  fake.refuses.set(REFUSED, code)
  link.current = createHttpLink(
    {
      ...{ name: 'acme', kind: 'telnyx', concurrency: 8, timeoutMs: 4_000 },
      ...{ probeIntervalMs: 100, media: { bytesMax: 1_000_000, otherBytesMax: 1_000_000 } },
      ...{ perSecond: null, shared: false },
      ...{ settleMs: 1_000, unknown: { mayRepeat: false }, hasLookUps: false },
    },
    {
      ...{ messages: make(fake.url), address: new CallbackAddress(BASE, 'secret') },
      ...{ clock, log: openLog('silent'), metrics: new Metrics() },
    },
  )
  const farSide: FarSide = {
    texts: () => fake.taken.map(({ text }) => text),
    write: (message) => fake.write(message),
    beSilent: (isSilent) => {
      fake.isSilent = isSilent
    },
    cut: () => fake.cut(),
    goAway: () => fake.stop(),
    comeBack: () => fake.start(),
  }
  const refused = { to: REFUSED, errorCode: 1350 }
  return { link: link.current, good: GOOD, refused, farSide, clock }
}

function telnyxStage(t: TestContext): Promise<LinkStage> {
  const face = telnyxFace()
  const { publicKey } = face
  const make = (baseUrl: string) =>
    createTelnyx({
      ...{ baseUrl, key: 'KEY', publicKey, profiles: new Map(), answersKeywords: true },
    })
  return stage(t, { face, code: '40310', make })
}

testCarrier('Telnyx', telnyxStage)

test('what finds a connection when its time is over is not sent by it', async (t) => {
  const { link, good, farSide, clock } = await telnyxStage(t)
  t.after(() => link.stop())
  farSide!.beSilent(true)
  const submitBy = new Date(clock.nowMs() + 60_000)
  const given = Array.from({ length: 16 }, (_, i) => submission(good, `No. ${i}`))
  const under = link.submit(given.map((one) => ({ ...one, submitBy })))
  await eventually(async () => farSide!.texts().length === 8, 'all connections are taken')
  clock.moveTo(60_001)
  farSide!.cut()
  assert.deepEqual(
    (await under).map(({ kind }) => kind),
    given.map((_, i) => (i < 8 ? 'unknown' : 'window_missed')),
  )
  assert.equal(farSide!.texts().length, 8)
})

testCarrier('Bandwidth', (t) => {
  const make = (baseUrl: string) =>
    createBandwidth({
      ...{ baseUrl, accountId: '123', user: 'u', password: 'p', application: 'app' },
      ...{ applications: new Map(), callbackUser: 'cu', callbackPassword: 'cp' },
      hasMmsReceipts: false,
      lookUpUrl: baseUrl,
    })
  return stage(t, { face: bandwidthFace('cu', 'cp'), code: '4720', make })
})

testCarrier('Twilio', (t) => {
  const make = (baseUrl: string) =>
    createTwilio({
      ...{ baseUrl, accountSid: 'AC1', authToken: 'token', user: 'AC1', password: 'token' },
      ...{ services: new Map(), answersKeywords: true, now: () => new Date() },
      lookUpUrl: baseUrl,
    })
  return stage(t, { face: twilioFace('token'), code: '21211', make })
})
