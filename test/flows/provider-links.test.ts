// A whole service that sends by a provider's HTTP API: outbound, receipt, and reply by callbacks, and the outcomes
// when the provider does not respond, refuses our key, or is impersonated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNumberLookups } from '../../src/carriers/routing/number-lookup-queries.js'
import { eventually } from '../harness.js'
import { LANDLINE } from '../providers/faces.js'
import type { FakeProvider } from '../providers/fake-provider.js'
import { type ProviderKind, providerService } from '../providers/provider-service.js'
import { ATT, eventsOf, TMO, VZW } from '../sending.js'

/** How each provider reports that a phone opted out: in its response, or later in a receipt. */
const OPTED_OUT: Record<ProviderKind, (fake: FakeProvider) => unknown> = {
  telnyx: (fake) => fake.refuses.set(TMO, '40300'),
  bandwidth: (fake) => fake.outcomes.set(TMO, { status: 'failed', code: '4775' }),
  twilio: (fake) => fake.refuses.set(TMO, '21610'),
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: a message is sent once, its receipt is applied, and the reply arrives once`, async (t) => {
    const { send, until, fake, number, service } = await providerService(t, kind)
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

  test(`${kind}: an unconfirmed message stays SENT, and a phone that opted out there is opted out here`, async (t) => {
    const { send, trySend, until, kinds, fake, campaignId, service, message } =
      await providerService(t, kind)
    fake.outcomes.set(ATT, { status: 'unconfirmed' })
    const unconfirmed = await send({ to: ATT })
    await until(unconfirmed, 'SENT')
    if (kind !== 'twilio') {
      // Twilio reports only that it was sent.
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

    // A recipient who opted in again stays so, even if the provider repeats an old report.
    const digits = TMO.slice(1)
    assert.equal((await service.call('DELETE', `${place}/${digits}?reason=Asked`)).status, 200)
    const [taken] = fake.taken.filter(({ to }) => to === TMO)
    if (taken) assert.equal(await fake.report(taken, { status: 'failed', code: '4775' }), 200)
    assert.deepEqual((await service.get(place)).body.optouts, [])
    assert.equal((await message(unconfirmed)).status, 'SENT')
  })
}

test('a STOP that the provider handled is recorded, and the phone gets no second reply', async (t) => {
  const { trySend, fake, number, service } = await providerService(t, 'twilio')
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

test('a landline reported by a provider gets nothing more and costs nothing', async (t) => {
  const { send, until, fake, service } = await providerService(t, 'telnyx')
  await until(await send({ to: LANDLINE, body: 'first' }), 'DELIVERED')
  const failed = await until(await send({ to: LANDLINE, body: 'second' }), 'FAILED')
  assert.deepEqual([failed.errorCode, failed.price], [1360, 0])
  assert.deepEqual(
    fake.taken.map(({ text }) => text),
    ['first'],
  )
  const [known] = await eventually(async () => {
    const found = await findNumberLookups(service.world.db, [LANDLINE])
    return found.length > 0 && found
  }, 'it is stored for every process')
  assert.deepEqual([known!.isLandline, known!.network, known!.link], [true, null, 'upstream'])
  assert.deepEqual(fake.lookUps, [], 'no paid lookups unless enabled')
})

test('with the setting, a provider is queried once for the type of a number', async (t) => {
  const { send, trySend, until, message, fake } = await providerService(
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

test('a message accepted without a response waits, and the callback that names it settles it', async (t) => {
  const { send, until, fake, message } = await providerService(
    t,
    'telnyx',
    '    responseTimeoutSeconds: 1\n',
  )
  fake.isSilent = true
  const id = await send({ to: VZW, body: 'only once' })
  const [taken] = await eventually(
    async () => fake.taken.length > 0 && fake.taken,
    'it was accepted',
  )
  await eventually(async () => (await message(id)).status === 'QUEUED')
  fake.isSilent = false
  assert.equal(await fake.report(taken!, { status: 'sent' }), 200)
  await until(id, 'SENT')
  assert.equal(await fake.report(taken!, { status: 'delivered' }), 200)
  await until(id, 'DELIVERED')
  assert.equal(fake.taken.length, 1, 'never sent twice')
})

test('messages wait while the provider refuses our API key, and are sent when it is fixed', async (t) => {
  const { send, until, fake, message } = await providerService(t, 'telnyx')
  const refusal = JSON.stringify({ errors: [{ code: '10009', title: 'Authentication failed' }] })
  fake.instead.push({ status: 401, body: refusal })
  const id = await send({ to: VZW })
  await eventually(async () => fake.instead.length === 0, 'the refusal arrived')
  assert.notEqual((await message(id)).status, 'FAILED')
  await until(id, 'DELIVERED')
  assert.equal(fake.taken.length, 1)
})

test('a caller that is not the provider is refused and changes nothing', async (t) => {
  const { send, until, fake, message, service } = await providerService(t, 'telnyx')
  const id = await send({ to: VZW })
  await until(id, 'DELIVERED')
  const { app } = service
  const forged = { data: { event_type: 'message.finalized', payload: { id: fake.taken[0]!.id } } }
  const url = '/carrier/upstream'
  const unsigned = await app.inject({ method: 'POST', url, payload: forged })
  assert.equal(unsigned.statusCode, 403)
  const signed = { 'telnyx-signature-ed25519': 'AAAA', 'telnyx-timestamp': '1' }
  const wrong = await app.inject({ method: 'POST', url, headers: signed, payload: forged })
  assert.equal(wrong.statusCode, 403)
  assert.equal((await app.inject({ method: 'GET', url })).statusCode, 405)
  assert.equal((await message(id)).status, 'DELIVERED')
})
