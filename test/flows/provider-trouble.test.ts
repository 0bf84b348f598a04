// A provider at its worst: slow, cut after reading, failing after it accepted the message, responding with
// nonsense, throttling; and callbacks that are forged, replayed, repeated, out of order, or about unknown messages.
// No text is sent twice, none is lost, and nobody but the provider changes anything.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import type { Instead, Taken } from '../providers/fake-provider.js'
import { type ProviderService, providerService } from '../providers/provider-service.js'
import { eventsOf, VZW } from '../sending.js'

const KINDS = ['telnyx', 'bandwidth', 'twilio'] as const
const QUICK = '    responseTimeoutSeconds: 1\n    settleSeconds: 3600\n'

/** What goes wrong after the provider accepted the message. */
const TAKEN_WITHOUT_A_WORD: Record<string, Instead> = {
  'responds too late': { status: 200, takes: true, isUsual: true, delayMs: 1_500 },
  'is cut off before its response': { status: 200, takes: true, cut: 'before' },
  'is cut off within its response': { status: 200, takes: true, cut: 'within' },
  'answers nonsense': { status: 200, takes: true, body: '<html>OK</html>' },
  'responds without an id': { status: 200, takes: true, body: '{"data":{},"id":null}' },
}

/** A gateway's response for a provider that accepted the message, or is about to. */
const BEHIND_A_GATEWAY: Record<string, Instead> = {
  'fails without a body after accepting': { status: 500, takes: true },
  'is behind a gateway that returns 502': {
    ...{ status: 502, takes: true, body: '<html><h1>502 Bad Gateway</h1></html>' },
  },
  'is behind a gateway that returns 503': {
    ...{ status: 503, takes: true, body: 'upstream reset', headers: { 'retry-after': '0' } },
  },
  'is behind a gateway that returns 504': {
    ...{ status: 504, takes: true, body: '{"message":"Endpoint request timed out"}' },
  },
  'is behind a gateway that returns 408': { status: 408, takes: true },
}

/** How each provider reports that it cannot process anything now. */
const UNAVAILABLE: Record<(typeof KINDS)[number], unknown> = {
  telnyx: { errors: [{ code: '10016', title: 'Service unavailable' }] },
  bandwidth: { type: 'unavailable', description: 'Try again later' },
  twilio: { code: 20503, message: 'Service unavailable', status: 503 },
}

/** Sends one text that meets this. The next one meets what comes next. */
async function meets(
  stage: ProviderService,
  body: string,
  instead: Instead,
): Promise<[string, Taken[]]> {
  const { fake, send } = stage
  fake.instead.push(instead)
  const id = await send({ to: VZW, body })
  await eventually(async () => fake.instead.length === 0, `${body} was read`)
  return [id, fake.taken.filter(({ text }) => text === body)]
}

for (const kind of KINDS) {
  test(`${kind}: a message accepted without a response waits, is settled by its callback, and is never sent twice`, async (t) => {
    const stage = await providerService(t, kind, QUICK)
    const { fake, until, kinds, message } = stage
    const cases = { ...TAKEN_WITHOUT_A_WORD, ...BEHIND_A_GATEWAY }
    for (const [body, instead] of Object.entries(cases)) {
      const [id, [taken]] = await meets(stage, body, instead)
      assert.ok(taken, body)
      await eventually(async () => (await kinds(id)).includes('unknown'), `${body}: unknown`)
      assert.equal((await message(id)).status, 'QUEUED', body)
      assert.equal(await fake.report(taken, { status: 'delivered' }), 200)
      await until(id, 'DELIVERED')
    }
    const texts = fake.taken.map(({ text }) => text)
    assert.deepEqual(texts, [...new Set(texts)], 'nothing twice')

    const [slow] = await meets(stage, 'slowed down', {
      ...{ status: 429, body: '{"errors":[{"code":"10011"}]}' },
      headers: { 'x-ratelimit-reset': '1' },
    })
    await until(slow, 'DELIVERED')
    assert.ok((await kinds(slow)).includes('slow'))
    const body = JSON.stringify(UNAVAILABLE[kind])
    const later = { status: 503, body, headers: { 'retry-after': '1' } }
    const [id] = await meets(stage, 'not accepted, by its own error', later)
    await until(id, 'DELIVERED')
    assert.ok((await kinds(id)).includes('slow'))
    assert.equal(fake.taken.filter(({ text }) => text === 'slowed down').length, 1)
  })

  test(`${kind}: callbacks may be early, repeated, out of order, forged, or unrelated, and change only what is true`, async (t) => {
    const stage = await providerService(t, kind, QUICK)
    const { fake, until, kinds, message, number, service } = stage
    const early: Instead = { status: 200, takes: true, isUsual: true, delayMs: 400 }
    const [id, [taken]] = await meets(stage, 'the callback comes before the response', early)
    assert.ok(taken)
    const call = fake.receiptCall(taken, { status: 'delivered' })
    assert.equal(await fake.deliver({ ...call, headers: {} }), 403, 'by nobody')
    if (kind !== 'bandwidth') {
      assert.equal(await fake.deliver({ ...call, body: `${call.body}&x=1` }), 403, 'changed')
    }
    assert.equal((await message(id)).status, 'QUEUED')
    const both = await Promise.all([fake.deliver(call), fake.deliver(call)])
    assert.deepEqual(both, [200, 200])
    await until(id, 'DELIVERED')
    for (const outcome of [{ status: 'sent' }, { status: 'failed', code: '4770' }] as const) {
      assert.equal(await fake.report(taken, outcome), 200)
    }
    assert.equal((await message(id)).status, 'DELIVERED')
    await eventually(async () => (await kinds(id)).includes('stale'), 'the late failure is noted')
    const events = (await eventsOf(service, id)).map(({ status }) => status)
    assert.equal(events.filter((status) => status === 'DELIVERED').length, 1)

    // Genuine, and about a message that nobody sent. Then one that names another's with a made-up seal.
    const statusUrl = taken.statusUrl && fake.base
    const never = { ...taken, id: 'never-sent', tag: null, statusUrl }
    assert.equal(await fake.report(never, { status: 'failed', code: '4770' }), 200)
    const path = `/status/${service.accountId}/${id}/${'A'.repeat(22)}`
    const sealed = { ...never, tag: path, statusUrl: taken.statusUrl && fake.base + path }
    assert.equal(await fake.report(sealed, { status: 'failed', code: '4770' }), 200)
    assert.equal((await message(id)).status, 'DELIVERED')
    const strays = await service.world.db.query(sql`
      select 1 from unmatched_receipts where message_id = 'never-sent'`)
    assert.equal(strays.length, 2, 'stored for later lookups')

    const written = fake.inboundCall({ from: VZW, to: number, text: 'once' })
    const replies = await Promise.all([1, 2, 3].map(() => fake.deliver(written)))
    assert.deepEqual(replies, [200, 200, 200])
    const { body } = await service.get('/v1/message/search?direction=INBOUND')
    assert.deepEqual(
      body.messages.map((one: { body: string }) => one.body),
      ['once'],
    )
    const foreign = fake.inboundCall({ from: VZW, to: '+14155559999', text: 'to nobody' })
    assert.equal(await fake.deliver(foreign), 200)
  })
}

test('a query finds a message without a callback, and a message that cannot be queried counts as sent once', async (t) => {
  for (const kind of KINDS) {
    const stage = await providerService(
      t,
      kind,
      '    responseTimeoutSeconds: 1\n    settleSeconds: 1\n',
    )
    const { fake, until, kinds } = stage
    const cut: Instead = { status: 200, takes: true, cut: 'before' }
    const [id, [taken]] = await meets(stage, `cut at ${kind}`, cut)
    await until(id, 'SENT')
    assert.equal((await kinds(id)).includes('settled'), kind === 'telnyx', kind)
    assert.equal(await fake.report({ ...taken!, tag: null }, { status: 'delivered' }), 200)
    await until(id, 'DELIVERED')
    assert.equal(fake.taken.length, 1)
  }
})
