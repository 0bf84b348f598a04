// A whole service that sends by a provider's HTTP API: out, receipt, reply in, by calls over HTTP; and what becomes of
// messages when the provider does not answer, does not take our key, or is not who calls.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../commands/run-command.js'
import { eventually } from '../harness.js'
import { bandwidthFace, telnyxFace, twilioFace } from '../providers/faces.js'
import { type Face, FakeProvider } from '../providers/fake-provider.js'
import { type Sending, sendingService, TMO, VZW } from '../sending.js'

const PUBLIC_URL = 'https://sms.ours.test'
const SID = `AC${'0123456789abcdef'.repeat(2)}`

type Kind = 'telnyx' | 'bandwidth' | 'twilio'

function faceOf(kind: Kind): { face: Face; lines: string } {
  if (kind === 'telnyx') {
    const face = telnyxFace()
    return { face, lines: `apiKey: KEY\n    publicKey: ${face.publicKey}` }
  }
  if (kind === 'twilio') {
    return {
      face: twilioFace('tok-123'),
      lines: `accountSid: ${SID}\n    authToken: tok-123`,
    }
  }
  const calls = 'callbackUser: cu\n    callbackPassword: cp-cp-cp-cp-cp'
  return {
    face: bandwidthFace('cu', 'cp-cp-cp-cp-cp'),
    lines: `accountId: "55"\n    user: u\n    password: p\n    application: app\n    ${calls}`,
  }
}

interface Rented extends Sending {
  fake: FakeProvider
}

async function rented(t: TestContext, kind: Kind, more = ''): Promise<Rented> {
  const { face, lines } = faceOf(kind)
  const service: { current: Sending | null } = { current: null }
  const base = `${PUBLIC_URL}/carrier/rented`
  const fake = new FakeProvider(face, base, () => async (place, { headers, body }) => {
    const { app } = service.current!.service
    const url = `/carrier/rented${place === '/' ? '' : place}`
    const reply = await app.inject({
      method: 'POST',
      url,
      headers: headers as Record<string, string>,
      payload: body,
    })
    return { status: reply.statusCode }
  })
  await fake.start()
  t.after(() => fake.stop())
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const link = `  - name: rented\n    kind: ${kind}\n    url: ${fake.url}\n    ${lines}\n${more}`
  writeFileSync(file, `links:\n${link}`)
  service.current = await sendingService(t, {
    roles: ['dispatch', 'deliver', 'schedule'],
    env: { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL },
  })
  return { ...service.current, fake }
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: a text goes out once, its receipt is believed, and the reply comes in once`, async (t) => {
    const { send, until, fake, number, service } = await rented(t, kind)
    const id = await send({ to: VZW, body: 'Your table is ready' })
    const message = await until(id, 'DELIVERED')
    assert.equal(message.errorCode, null)
    assert.deepEqual(
      fake.taken.map(({ to, text }) => [to, text]),
      [[VZW, 'Your table is ready']],
    )
    const [taken] = fake.taken
    assert.equal(await fake.report(taken!, { status: 'delivered' }), 200, 'again: nothing new')

    assert.ok(await fake.write({ from: VZW, to: number, text: 'Thank you' }))
    const inbound = await eventually(async () => {
      const { body } = await service.get(`/v1/message/search?direction=INBOUND`)
      return body.messages.length > 0 && body.messages
    }, 'the reply')
    assert.deepEqual(
      inbound.map(({ body, from }: { body: string; from: string }) => [from, body]),
      [[VZW, 'Thank you']],
    )
  })
}

test('a STOP that the provider has acted on is recorded, and the phone is not answered again', async (t) => {
  const { trySend, fake, number, service } = await rented(t, 'twilio')
  assert.ok(await fake.write({ from: VZW, to: number, text: 'revoke', handled: 'STOP' }))
  const refused = await trySend({ to: VZW })
  assert.equal(refused.body.success, false, JSON.stringify(refused.body))
  const { body } = await service.get('/v1/message/search')
  assert.deepEqual(
    body.messages.map((one: { body: string }) => one.body),
    ['revoke'],
  )
  assert.deepEqual(fake.taken, [])
})

test('a failure has our code, and the provider’s own words in the timeline', async (t) => {
  const { send, until, fake, service } = await rented(t, 'telnyx')
  fake.refuses.set(TMO, '40300')
  const refused = await until(await send({ to: TMO }), 'FAILED')
  assert.equal(refused.errorCode, 1330)
  const id = await send({ to: VZW })
  await until(id, 'DELIVERED')
  const { body } = await service.get(`/v1/message/${refused.id}/timeline`)
  assert.match(JSON.stringify(body), /40300 Refused/)
})

test('what was taken without an answer is held, and settled by the call that names it', async (t) => {
  const { send, until, fake, message } = await rented(
    t,
    'telnyx',
    '    responseTimeoutSeconds: 1\n',
  )
  fake.isSilent = true
  const id = await send({ to: VZW, body: 'only once' })
  const [taken] = await eventually(async () => fake.taken.length > 0 && fake.taken, 'it was taken')
  await eventually(async () => (await message(id)).status === 'QUEUED')
  fake.isSilent = false
  assert.equal(await fake.report(taken!, { status: 'sent' }), 200)
  await until(id, 'SENT')
  assert.equal(await fake.report(taken!, { status: 'delivered' }), 200)
  await until(id, 'DELIVERED')
  assert.equal(fake.taken.length, 1, 'never sent twice')
})

test('a key that is refused fails nobody’s message: they wait, and go out when it is mended', async (t) => {
  const { send, until, fake, message } = await rented(t, 'telnyx')
  const refusal = JSON.stringify({ errors: [{ code: '10009', title: 'Authentication failed' }] })
  fake.instead.push({ status: 401, body: refusal })
  const id = await send({ to: VZW })
  await eventually(async () => fake.instead.length === 0, 'the refusal was heard')
  assert.notEqual((await message(id)).status, 'FAILED')
  await until(id, 'DELIVERED')
  assert.equal(fake.taken.length, 1)
})

test('whoever is not the provider is not believed, and changes nothing', async (t) => {
  const { send, until, fake, message, service } = await rented(t, 'telnyx')
  const id = await send({ to: VZW })
  await until(id, 'DELIVERED')
  const { app } = service
  const forged = { data: { event_type: 'message.finalized', payload: { id: fake.taken[0]!.id } } }
  const url = '/carrier/rented'
  const unsigned = await app.inject({ method: 'POST', url, payload: forged })
  assert.equal(unsigned.statusCode, 403)
  const signed = { 'telnyx-signature-ed25519': 'AAAA', 'telnyx-timestamp': '1' }
  const wrong = await app.inject({ method: 'POST', url, headers: signed, payload: forged })
  assert.equal(wrong.statusCode, 403)
  assert.equal((await app.inject({ method: 'GET', url })).statusCode, 405)
  assert.equal((await message(id)).status, 'DELIVERED')
})
