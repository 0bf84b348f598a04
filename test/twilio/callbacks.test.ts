// Requests to apps written for Twilio: status callbacks and inbound messages, accepted by its packages, and the replies.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import twilio6 from 'twilio'
import twilio4 from 'twilio4'
import twilio5 from 'twilio5'
import { messageIdOf, numberSid } from '../../src/twilio/sids.js'
import { eventually } from '../harness.js'
import { VZW } from '../sending.js'
import { twilioStage } from './stage.js'

const ROLES = ['dispatch', 'deliver'] as const

interface Posted {
  method: string
  url: string
  signature: string
  fields: Record<string, string>
}

/** An app on loopback that records every request and answers as told. */
async function app(t: TestContext, answer: (response: ServerResponse, posted: Posted) => void) {
  const posts: Posted[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const posted = {
      method: request.method!,
      url: `${base}${request.url}`,
      signature: String(request.headers['x-twilio-signature']),
      fields: Object.fromEntries(new URLSearchParams(text)),
    }
    posts.push(posted)
    answer(response, posted)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, posts }
}

function assertGenuine(authToken: string, { signature, url, fields }: Posted): void {
  for (const { validateRequest } of [twilio4, twilio5, twilio6]) {
    assert.equal(validateRequest(authToken, signature, url, fields), true, url)
    assert.equal(validateRequest(authToken, signature, `${url}x`, fields), false, url)
  }
}

const xml = (response: ServerResponse, text: string) =>
  response.setHeader('content-type', 'text/xml').end(text)

test('a status callback follows each change in order, with a signature that the packages accept', async (t) => {
  const { client, number, authToken, accountSid, service } = await twilioStage(t, { roles: ROLES })
  const { base, posts } = await app(t, (response) => response.writeHead(204).end())
  const statusCallback = `${base}/status?order=7&name=O'B`
  const { sid } = await client().messages.create({
    to: VZW,
    from: number,
    body: 'x',
    statusCallback,
  })
  await eventually(async () => posts.length >= 2)
  for (const post of posts) assertGenuine(authToken, post)
  assert.deepEqual(
    posts.map(({ fields }) => fields.MessageStatus),
    ['sent', 'delivered'],
  )
  const { MessageSid, AccountSid, From, To, ApiVersion, SmsSid } = posts[1]!.fields
  assert.deepEqual([MessageSid, SmsSid, AccountSid], [sid, sid, accountSid])
  assert.deepEqual([From, To, ApiVersion], [number, VZW, '2010-04-01'])
  const { body } = await service.get('/v1/account/twilio')
  const { statusWebhookId } = body.twilio
  const delivered = await eventually(async () => {
    const reply = await service.get(`/v1/webhook/${statusWebhookId}/deliveries`)
    return reply.body.deliveries.length === 2 && reply.body.deliveries
  })
  assert.equal(delivered[0].state, 'delivered')
  assert.equal((await service.get('/v1/webhook/list')).body.webhooks.length, 0)
})

test('a failed message reports its code, and other messages report nothing', async (t) => {
  const { client, number, send, until } = await twilioStage(t, { roles: ROLES })
  const { base, posts } = await app(t, (response) => response.end())
  const statusCallback = `${base}/status`
  await until(await send(), 'DELIVERED')
  await client().messages.create({ to: '+14155550110', from: number, body: 'x', statusCallback })
  const last = await eventually(async () => posts.find(({ fields }) => fields.ErrorCode))
  assert.ok(['failed', 'undelivered'].includes(last.fields.MessageStatus!))
  assert.ok(posts.every(({ fields }) => fields.To === '+14155550110'))
  await send({ metadata: { twilioStatusCallback: statusCallback } })
  await eventually(async () => posts.some(({ fields }) => fields.To === VZW))
})

test('an inbound message is answered with TwiML, once, also over a redirect', async (t) => {
  const stage = await twilioStage(t, { roles: ROLES })
  const { client, number, inbound, authToken, service } = stage
  // Media is checked without a signature, at any time, so it has its own app.
  const files = await app(t, (response) => response.setHeader('content-type', 'image/png').end())
  const { base, posts } = await app(t, (response, { url }) => {
    if (url.endsWith('/next')) return xml(response, '<Response><Sms>third</Sms></Response>')
    xml(
      response,
      `<?xml version="1.0" encoding="UTF-8"?><!-- hi --><Response>
        <Message>first &amp; <![CDATA[<best>]]></Message>
        <Message><Body>second</Body><Media>${files.base}/cat.png</Media></Message>
        <Say>hello</Say>
        <Redirect>/next</Redirect>
      </Response>`,
    )
  })
  await client()
    .incomingPhoneNumbers(numberSid(number))
    .update({ smsUrl: `${base}/sms` })
  await inbound(VZW, 'Hello Ümlaut')
  await eventually(async () => posts.length >= 2)
  for (const post of posts) assertGenuine(authToken, post)
  const { fields } = posts[0]!
  assert.deepEqual([fields.From, fields.To, fields.Body], [VZW, number, 'Hello Ümlaut'])
  assert.deepEqual([fields.NumMedia, fields.SmsStatus], ['0', 'received'])
  const replies = await eventually(async () => {
    const listed = await client().messages.list({ to: VZW })
    return listed.length === 3 && listed.toReversed()
  })
  assert.deepEqual(
    replies.map(({ body, direction, numMedia }) => [body, direction, numMedia]),
    [
      ['first & <best>', 'outbound-reply', '0'],
      ['second', 'outbound-reply', '1'],
      ['third', 'outbound-reply', '0'],
    ],
  )
  const received = await client().messages(fields.MessageSid!).fetch()
  assert.deepEqual([received.direction, received.status], ['inbound', 'received'])
  const { body } = await service.get('/v1/webhook/list')
  const deliveries = `/v1/webhook/${body.webhooks[0].id}/deliveries`
  const record = await eventually(async () => {
    const [first] = (await service.get(deliveries)).body.deliveries
    return first?.state === 'delivered' && first
  })
  assert.match(JSON.stringify(record.attempts), /<Say> is not supported and was ignored/)
  const replayed = await service.post(`${deliveries}/${record.id}/replay`)
  assert.equal(replayed.status, 200, JSON.stringify(replayed.body))
  await eventually(async () => posts.length >= 4)
  await eventually(
    async () => (await service.get(deliveries)).body.deliveries[0].attempts.length === 2,
  )
  assert.equal((await client().messages.list({ to: VZW })).length, 3, 'nothing is sent twice')
})

test('an SmsUrl with GET gets the form in its URL, and so does a redirect that asks for it', async (t) => {
  const { client, number, inbound, authToken, service } = await twilioStage(t, { roles: ROLES })
  const { base, posts } = await app(t, (response, { url }) =>
    xml(
      response,
      url.includes('/next')
        ? '<Response><Message>done</Message></Response>'
        : '<Response><Redirect method="GET">/next?step=2#top</Redirect></Response>',
    ),
  )
  const numbers = client().incomingPhoneNumbers(numberSid(number))
  const changed = await numbers.update({ smsUrl: `${base}/sms?shop=7`, smsMethod: 'GET' })
  assert.deepEqual([changed.smsUrl, changed.smsMethod], [`${base}/sms?shop=7`, 'GET'])
  await inbound(VZW, 'Ümlaut & more')
  await eventually(async () => posts.length >= 2)
  for (const post of posts) {
    assertGenuine(authToken, post)
    assert.deepEqual([post.method, post.fields], ['GET', {}])
    assert.equal(new URL(post.url).searchParams.get('Body'), 'Ümlaut & more')
  }
  assert.equal(new URL(posts[0]!.url).searchParams.get('shop'), '7')
  await eventually(async () => (await client().messages.list({ to: VZW })).length === 1)
  const [webhook] = (await service.get('/v1/webhook/list')).body.webhooks
  assert.equal(webhook.format, 'twilio-get')
  const [{ id }] = (await service.get(`/v1/webhook/${webhook.id}/deliveries`)).body.deliveries
  const { body } = await service.get(`/v1/webhook/${webhook.id}/deliveries/${id}`)
  const { request } = body.delivery.attempts[0]
  assert.deepEqual([request.method, request.url], ['GET', posts[0]!.url])
  const patched = await service.call('PATCH', `/v1/webhook/${webhook.id}`, { format: 'json' })
  assert.equal(patched.body.webhook?.format ?? 'twilio-get', 'twilio-get')
  const posting = await numbers.update({ smsMethod: 'POST' })
  assert.deepEqual([posting.smsUrl, posting.smsMethod], [`${base}/sms?shop=7`, 'POST'])
  await inbound(VZW, 'again')
  await eventually(async () =>
    posts.some(({ method, fields }) => method === 'POST' && fields.Body === 'again'),
  )
})

test('plain text is one reply, and an answer that is neither is recorded', async (t) => {
  const { client, number, inbound, service } = await twilioStage(t, { roles: ROLES })
  const answers = [
    (response: ServerResponse) => response.setHeader('content-type', 'text/plain').end('thanks'),
    (response: ServerResponse) => xml(response, '<Response><Message>oops'),
    (response: ServerResponse) => xml(response, '<Response/>'),
  ]
  const { base, posts } = await app(t, (response) => answers[(posts.length - 1) % 3]!(response))
  await client().incomingPhoneNumbers(numberSid(number)).update({ smsUrl: base })
  for (const count of [1, 2, 3]) {
    await inbound(VZW, `number ${count}`)
    await eventually(async () => posts.length === count)
  }
  const { body } = await service.get('/v1/webhook/list')
  const records = await eventually(async () => {
    const { deliveries } = (await service.get(`/v1/webhook/${body.webhooks[0].id}/deliveries`)).body
    const isDone = deliveries.every(({ state }: { state: string }) => state === 'delivered')
    return deliveries.length === 3 && isDone && deliveries
  })
  assert.match(JSON.stringify(records[1].attempts), /not TwiML/)
  const sent = await client().messages.list({ to: VZW })
  assert.deepEqual(
    sent.map(({ body: text }) => text),
    ['thanks'],
  )
})

test('an opted-out sender gets no reply, and the record shows why', async (t) => {
  const { client, number, inbound, service } = await twilioStage(t, { roles: ROLES })
  const { base, posts } = await app(t, (response) =>
    xml(response, '<Response><Message>You are out.</Message></Response>'),
  )
  await client().incomingPhoneNumbers(numberSid(number)).update({ smsUrl: base })
  await inbound(VZW, 'STOP')
  await eventually(async () => posts.length === 1)
  assert.equal(posts[0]!.fields.OptOutType, 'STOP')
  const { body } = await service.get('/v1/webhook/list')
  const record = await eventually(async () => {
    const [first] = (await service.get(`/v1/webhook/${body.webhooks[0].id}/deliveries`)).body
      .deliveries
    return first?.state === 'delivered' && first
  })
  assert.match(JSON.stringify(record.attempts), /Reply 1 was not sent: 21610/)
})

test('a reply above the quota of queued messages is not sent, and the record shows why', async (t) => {
  const env = { LONGCODE_QUOTA_QUEUED: '1' }
  const { client, number, inbound, service, send } = await twilioStage(t, { roles: ROLES, env })
  const { base, posts } = await app(t, (response) =>
    xml(response, '<Response><Message>Thanks.</Message></Response>'),
  )
  await client().incomingPhoneNumbers(numberSid(number)).update({ smsUrl: base })
  const later = new Date(service.world.clock.now().getTime() + 3_600_000)
  await send({ scheduledAt: later.toISOString() })
  await inbound(VZW, 'Hello')
  await eventually(async () => posts.length === 1)
  const { body } = await service.get('/v1/webhook/list')
  const record = await eventually(async () => {
    const [first] = (await service.get(`/v1/webhook/${body.webhooks[0].id}/deliveries`)).body
      .deliveries
    return first?.state === 'delivered' && first
  })
  assert.match(JSON.stringify(record.attempts), /Reply 1 was not sent: 21611 Your account has 1 /)
})

test('the form of an inbound picture waits for the file and has its type', async (t) => {
  const { client, number, inbound } = await twilioStage(t, { roles: ROLES })
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  let give: () => void = () => {}
  const isWanted = new Promise<void>((resolve) => {
    give = resolve
  })
  const requested: string[] = []
  const files = await app(t, (response, { url }) => {
    requested.push(url)
    void isWanted.then(() => response.end(picture))
  })
  const { base, posts } = await app(t, (response) => response.end())
  await client().incomingPhoneNumbers(numberSid(number)).update({ smsUrl: base })
  await inbound(VZW, 'a picture', { mediaUrls: [`${files.base}/1`] })
  await inbound(VZW, 'a text')
  await eventually(async () => posts.length === 1 && requested.length === 1)
  assert.equal(posts[0]!.fields.Body, 'a text', 'nothing else waits')
  give()
  await eventually(async () => posts.length === 2)
  const { Body, NumMedia, MediaContentType0 } = posts[1]!.fields
  assert.deepEqual([Body, NumMedia, MediaContentType0], ['a picture', '1', 'image/png'])
})

test('media of a message is listed, fetched, and removed', async (t) => {
  const { client, number, base, accountSid, authToken, inbound, until } = await twilioStage(t, {
    roles: ROLES,
  })
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const files = await app(t, (response) =>
    response.setHeader('content-type', 'image/png').end(picture),
  )
  const { messages } = client()
  const mediaUrl = [`${files.base}/1.png`, `${files.base}/2.png`]
  const sent = await messages.create({ to: VZW, from: number, mediaUrl })
  assert.match(sent.sid, /^MM/)
  assert.deepEqual([sent.numMedia, sent.body], ['2', ''])
  await until(messageIdOf(sent.sid)!, 'DELIVERED')
  const [media, second] = await messages(sent.sid).media.list()
  assert.match(media!.sid, /^ME[0-9a-f]{32}$/)
  assert.equal((await messages(sent.sid).media(media!.sid).fetch()).parentSid, sent.sid)
  const bytes = await fetch(
    `${base}/2010-04-01/Accounts/${accountSid}/Messages/${sent.sid}/Media/${media!.sid}`,
    {
      headers: { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` },
      redirect: 'manual',
    },
  )
  assert.deepEqual([bytes.status, bytes.headers.get('location')], [307, `${files.base}/1.png`])
  // At the same time, each removes the same file, and none removes its neighbor.
  const remove = () => messages(sent.sid).media(media!.sid).remove()
  const removed = await Promise.allSettled([remove(), remove(), remove()])
  assert.equal(removed.filter(({ status }) => status === 'fulfilled').length, 1)
  const left = await messages(sent.sid).media.list()
  assert.deepEqual(
    left.map(({ sid }) => sid),
    [second!.sid],
  )
  await inbound(VZW, 'a picture', { mediaUrls: [`${files.base}/2.png`] })
  const [received] = await messages.list({ from: VZW })
  const [file] = await messages(received!.sid).media.list()
  assert.equal(file!.parentSid, received!.sid)
})
