// Runs the conformance suite, which every link must pass, for the links to provider HTTP APIs.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createBandwidth } from '../../src/carriers/providers/bandwidth/messages.js'
import { CallbackAddress } from '../../src/carriers/providers/callbacks.js'
import { createHttpLink } from '../../src/carriers/providers/http-link.js'
import type { MessageApi } from '../../src/carriers/providers/provider.js'
import { createTelnyx } from '../../src/carriers/providers/telnyx/messages.js'
import { createTwilio } from '../../src/carriers/providers/twilio/messages.js'
import { type LinkStage, submission, testCarrier } from '../carrier-conformance.js'
import { eventually } from '../harness.js'
import { bandwidthFace, telnyxFace, twilioFace } from './faces.js'
import type { Face } from './fake-provider.js'
import { providerStage, STAGE_CALLBACK_URL, STAGE_LINK } from './provider-stage.js'

interface Staged {
  face: Face
  code: string
  make: (url: string) => MessageApi
}

function stage(t: TestContext, { face, code, make }: Staged): Promise<LinkStage> {
  return providerStage(t, {
    ...{ face, code },
    createLink: (url, deps) =>
      createHttpLink(
        {
          ...{ name: STAGE_LINK, kind: 'telnyx', concurrency: 8, timeoutMs: 20_000 },
          ...{ probeIntervalMs: 100, media: { bytesMax: 1_000_000, otherBytesMax: 1_000_000 } },
          ...{ settleMs: 1_000, unknown: { mayRepeat: false }, hasLookUps: false },
          ...{ perSecond: null, shared: false },
        },
        {
          ...{ ...deps, messages: make(url) },
          address: new CallbackAddress(STAGE_CALLBACK_URL, 'secret'),
        },
      ),
  })
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

test('a message whose time ran out while it waited for a connection is not sent', async (t) => {
  const { link, good, farSide, clock } = await telnyxStage(t)
  t.after(() => link.stop())
  farSide!.beSilent(true)
  const submitBy = new Date(clock.nowMs() + 60_000)
  const given = Array.from({ length: 16 }, (_, i) => submission(good, `No. ${i}`))
  const under = link.submit(given.map((one) => ({ ...one, submitBy })))
  await eventually(async () => farSide!.texts().length === 8, 'all connections are busy')
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
