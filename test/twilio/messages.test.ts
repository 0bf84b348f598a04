// Apps that use Twilio's packages send, list, and read messages through this service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageIdOf, serviceSid } from '../../src/twilio/sids.js'
import { TMO, VZW } from '../sending.js'
import { codeOf, twilioStage, VERSIONS } from './stage.js'

test('every version of the package sends, fetches, and lists messages over three pages', async (t) => {
  const { client, number, accountSid, campaignId, message, service } = await twilioStage(t)
  for (const version of VERSIONS) {
    const { messages } = client(version)
    const bodies = [1, 2, 3, 4, 5].map((n) => `${version} number ${n}`)
    for (const body of bodies) await messages.create({ to: VZW, from: number, body })
    const sent = await messages.create({
      to: '(415) 555-0107',
      messagingServiceSid: serviceSid(campaignId),
      body: 'last – one',
    })
    assert.match(sent.sid, /^SM[0-9a-f]{32}$/)
    assert.equal(sent.accountSid, accountSid)
    assert.deepEqual([sent.status, sent.direction, sent.from], ['queued', 'outbound-api', number])
    assert.deepEqual([sent.numSegments, sent.numMedia, sent.price], ['1', '0', '-0.0079'])
    const stored = await message(messageIdOf(sent.sid)!)
    assert.deepEqual([stored.to, stored.body], [VZW, sent.body])
    const fetched = await messages(sent.sid).fetch()
    assert.equal(fetched.body, sent.body)
    assert.equal(
      fetched.dateCreated.getTime(),
      Math.floor(Date.parse(stored.createdAt) / 1000) * 1000,
    )
    assert.equal(fetched.dateSent, null)
    const listed = await messages.list({ pageSize: 2, to: VZW, limit: 6 })
    assert.deepEqual(
      listed.map(({ body }) => body),
      [sent.body, ...bodies.toReversed()],
    )
    const first = await messages.page({ pageSize: 2, to: VZW })
    const second = await first.nextPage()
    const third = await second!.nextPage()
    const back = await third!.previousPage()
    const start = await back!.previousPage()
    const sidsOf = (page: { instances: { sid: string }[] } | undefined) =>
      page?.instances.map(({ sid }) => sid)
    assert.deepEqual([sidsOf(back), sidsOf(start)], [sidsOf(second), sidsOf(first)])
    assert.equal(sidsOf(third)?.length, 2)
    assert.equal(start!.previousPageUrl, undefined)
    assert.equal((await messages.list({ to: TMO })).length, 0)
    assert.equal((await messages.list({ from: VZW })).length, 0)
    assert.equal((await messages.list({ from: number, to: VZW, pageSize: 4, limit: 5 })).length, 5)
    const tomorrow = new Date(service.world.clock.nowMs() + 86_400_000)
    assert.equal((await messages.list({ dateSentAfter: tomorrow })).length, 0)
    assert.ok((await messages.list({ dateSentBefore: tomorrow, limit: 3 })).length === 3)
  }
})

test('refusals have the codes that apps know', async (t) => {
  const { client, number, inbound, trySend } = await twilioStage(t)
  const { messages } = client()
  const create = (fields: object) =>
    codeOf(messages.create({ to: VZW, from: number, body: 'Hello', ...fields }))
  assert.deepEqual(await create({ to: '+1415' }), [21211, 400])
  assert.deepEqual(await create({ to: 'whatsapp:+14155550107' }), [21211, 400])
  assert.deepEqual(await create({ to: '+442071838750' }), [21408, 400])
  assert.deepEqual(await create({ from: '+14159999999' }), [21606, 400])
  assert.deepEqual(await create({ from: 'Acme' }), [21212, 400])
  assert.deepEqual(await create({ body: 'x'.repeat(1501) }), [21617, 400])
  assert.deepEqual(await create({ body: '' }), [21602, 400])
  assert.deepEqual(await create({ mediaUrl: Array(11).fill('https://a.test/1') }), [21623, 400])
  assert.deepEqual(await create({ mediaUrl: ['ftp://a.test/1'] }), [21620, 400])
  assert.deepEqual(await create({ statusCallback: 'nowhere' }), [21609, 400])
  assert.deepEqual(await create({ sendAt: new Date(0), scheduleType: 'fixed' }), [35114, 400])
  assert.deepEqual(await create({ contentSid: 'HX1' }), [20001, 400])
  const elsewhere = { from: undefined, messagingServiceSid: `MG${'0'.repeat(32)}` }
  assert.deepEqual(await create(elsewhere), [21701, 404])
  assert.deepEqual(await codeOf(messages.create({ to: VZW, body: 'x' })), [21603, 400])
  assert.deepEqual(await codeOf(messages(`SM${'0'.repeat(32)}`).fetch()), [20404, 404])
  await inbound(VZW, 'STOP')
  assert.deepEqual(await create({}), [21610, 400])
  assert.equal((await trySend()).status, 422)
})

test('an account without money is told so', async (t) => {
  const { client, number } = await twilioStage(t, { balance: '1' })
  const { messages, balance } = client()
  const body = 'x'.repeat(1500)
  let code: unknown = null
  for (let i = 0; i < 20 && code === null; i += 1) {
    const [refused] = await codeOf(messages.create({ to: VZW, from: number, body }))
    code = refused ?? null
  }
  assert.equal(code, 20005)
  assert.equal((await balance.fetch()).currency, 'USD')
})

test('the same token never sends twice', async (t) => {
  const { client, base, accountSid, authToken, number } = await twilioStage(t)
  const send = async (body: string) => {
    const response = await fetch(`${base}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}`,
        'i-twilio-idempotency-token': 'once',
      },
      body: new URLSearchParams({ To: VZW, From: number, Body: body }),
    })
    return {
      status: response.status,
      body: (await response.json()) as { sid: string; code: number },
    }
  }
  const [first, again, other] = [await send('one'), await send('one'), await send('two')]
  assert.equal(first.status, 201)
  assert.equal(again.body.sid, first.body.sid)
  assert.deepEqual([other.status, other.body.code], [400, 20422])
  assert.equal((await client().messages.list()).length, 1)
})
