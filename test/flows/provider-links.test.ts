// A whole service that sends by a provider's HTTP API: out, receipt, reply in, by calls over HTTP; and what becomes of
// messages when the provider does not answer, does not take our key, or is not who calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLearnedNetworks } from '../../src/carriers/routing/learned-network-queries.js'
import { eventually } from '../harness.js'
import { LANDLINE } from '../providers/faces.js'
import type { FakeProvider } from '../providers/fake-provider.js'
import { type ProviderKind, rented } from '../providers/rented.js'
import { ATT, eventsOf, TMO, VZW } from '../sending.js'

/** How each says that a phone wants nothing more: in its answer, or later by a receipt. */
const OPTED_OUT: Record<ProviderKind, (fake: FakeProvider) => unknown> = {
  telnyx: (fake) => fake.refuses.set(TMO, '40300'),
  bandwidth: (fake) => fake.outcomes.set(TMO, { status: 'failed', code: '4775' }),
  twilio: (fake) => fake.refuses.set(TMO, '21610'),
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

  test(`${kind}: what it cannot confirm stays SENT, and a phone that opted out there has opted out here`, async (t) => {
    const { send, trySend, until, kinds, fake, campaignId, service, message } = await rented(
      t,
      kind,
    )
    fake.outcomes.set(ATT, { status: 'unconfirmed' })
    const unconfirmed = await send({ to: ATT })
    await until(unconfirmed, 'SENT')
    if (kind !== 'twilio') {
      // Twilio says nothing more than that it was sent.
      await eventually(async () => (await kinds(unconfirmed)).includes('unconfirmed'), 'a line')
    }

    OPTED_OUT[kind](fake)
    const id = await send({ to: TMO })
    assert.equal((await until(id, 'FAILED')).errorCode, 1330)
    const { body } = await service.get(`/v1/message/${id}/timeline`)
    assert.match(JSON.stringify(body), /carrier code (40300|21610|4775) /)
    const place = `/v1/campaign/${campaignId}/optouts`
    const optouts = await eventually(async () => {
      const { body } = await service.get(place)
      return body.optouts.length > 0 && body.optouts
    }, 'the opt-out')
    assert.deepEqual(
      optouts.map((one: Record<string, unknown>) => [one.recipient, one.messageId, one.keyword]),
      [[TMO, id, null]],
    )
    assert.match(optouts[0].reason, /40300 Refused|21610 Refused|4775 so it is/)
    const events = await eventsOf(service, id)
    assert.equal(events.filter(({ eventType }) => eventType === 'recipient.optout').length, 1)
    assert.equal((await trySend({ to: TMO })).body.success, false, 'refused before it costs')

    // Who is in again stays so, whatever a provider says once more of what is past.
    const digits = TMO.slice(1)
    assert.equal((await service.call('DELETE', `${place}/${digits}?reason=Asked`)).status, 200)
    const [taken] = fake.taken.filter(({ to }) => to === TMO)
    if (taken) assert.equal(await fake.report(taken, { status: 'failed', code: '4775' }), 200)
    assert.deepEqual((await service.get(place)).body.optouts, [])
    assert.equal((await message(unconfirmed)).status, 'SENT')
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

test('a landline that a provider named gets nothing more, and costs nothing', async (t) => {
  const { send, until, fake, service } = await rented(t, 'telnyx')
  await until(await send({ to: LANDLINE, body: 'first' }), 'DELIVERED')
  const failed = await until(await send({ to: LANDLINE, body: 'second' }), 'FAILED')
  assert.deepEqual([failed.errorCode, failed.price], [1360, 0])
  assert.deepEqual(
    fake.taken.map(({ text }) => text),
    ['first'],
  )
  const [known] = await eventually(async () => {
    const found = await findLearnedNetworks(service.world.db, [LANDLINE])
    return found.length > 0 && found
  }, 'it is kept for every process')
  assert.deepEqual([known!.isLandline, known!.network, known!.link], [true, null, 'rented'])
  assert.deepEqual(fake.lookUps, [], 'nothing is paid for unless that is set')
})

test('by setting a provider is asked once what kind of phone a number is', async (t) => {
  const { send, trySend, until, message, fake } = await rented(
    t,
    'twilio',
    (url) => `    lookUps: true\n    lookUpUrl: ${url}\n`,
  )
  const isKnown = await eventually(async () => {
    const id = await send({ to: LANDLINE })
    await eventually(async () => ['FAILED', 'DELIVERED'].includes((await message(id)).status))
    return (await message(id)).errorCode === 1360
  }, 'the landline is known')
  assert.ok(isKnown)
  assert.deepEqual(fake.lookUps, [LANDLINE])
  for (const body of ['one', 'two']) await until(await send({ to: VZW, body }), 'DELIVERED')
  await eventually(async () => fake.lookUps.length === 2, 'the second number')
  assert.equal((await trySend({ to: VZW })).body.success, true)
  assert.deepEqual(fake.lookUps, [LANDLINE, VZW])
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
