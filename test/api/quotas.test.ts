// Quotas of an account: the report, the operator's limits, and the refusals of every way to send, upload, and create webhooks.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { foldAccount } from '../../src/messages/usage/sum-usage.js'
import { boundCustomer, plain, smppToken } from '../bound-customer.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type Json, type Reply, type TestOptions } from '../harness.js'
import { fileOf, mediaServer } from '../media-server.js'
import { type Sending, sendingService, VZW } from '../sending.js'
import { codeOf, type TwilioStage, twilioStage } from '../twilio/stage.js'
import { OPERATOR_TOKEN } from './operator-service.js'

const NAMES = ['queuedMessages', 'storedMessages', 'mediaBytes', 'webhooks']

interface Quota {
  name: string
  used: number | null
  limit: number | null
  ownLimit: number | null
  defaultLimit: number | null
}

type Operate = (method: 'GET' | 'PATCH', body?: Json, id?: string) => Promise<Reply>

function withOperator<S extends Sending>(sending: S): S & { operate: Operate } {
  const { service } = sending
  const operate: Operate = (method, body, id = service.accountId) =>
    service.call(method, `/operator/v1/account/${id}/quotas`, body, { token: OPERATOR_TOKEN })
  return { ...sending, operate }
}

function optionsOf(env: Record<string, string> = {}, more: TestOptions = {}): TestOptions {
  return { ...more, env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env } }
}

async function stage(t: TestContext, env: Record<string, string> = {}, more: TestOptions = {}) {
  return withOperator(await sendingService(t, optionsOf(env, more)))
}

async function usedOf({ service }: Pick<Sending, 'service'>, name: string): Promise<number | null> {
  const { status, body } = await service.get('/v1/account/quotas')
  assert.equal(status, 200)
  return body.quotas.find((quota: Quota) => quota.name === name).used
}

const later = ({ service }: Pick<Sending, 'service'>) => ({
  scheduledAt: new Date(service.world.clock.now().getTime() + 3_600_000).toISOString(),
})

const queueText = (used: string, limit: string) =>
  `Your account has ${used} messages that wait to be sent. Its limit is ${limit}. Nothing was sent or charged. Retry when some were sent, cancel scheduled messages, or ask your operator for a higher limit.`

test('without settings, quotas count and limit nothing', async (t) => {
  const { service, send } = await stage(t)
  await send()
  const { body } = await service.get('/v1/account/quotas')
  assert.deepEqual(body, {
    quotas: [
      { name: 'queuedMessages', unit: 'message', used: 1, limit: null, code: 'queue_full' },
      { name: 'storedMessages', unit: 'message', used: 1, limit: null, code: 'messages_full' },
      { name: 'mediaBytes', unit: 'byte', used: 0, limit: null, code: 'media_full' },
      { name: 'webhooks', unit: 'webhook', used: 0, limit: null, code: 'webhooks_full' },
    ],
  })
})

test('an operator sets limits of one account, and null restores those of the installation', async (t) => {
  const env = {
    LONGCODE_QUOTA_QUEUED: '100',
    LONGCODE_QUOTA_MEDIA_MB: '5',
    LONGCODE_QUOTA_WEBHOOKS: '3',
  }
  const { service, operate } = await stage(t, env)
  const limits = (body: { quotas: Quota[] }) =>
    body.quotas.map(({ ownLimit, defaultLimit, limit }) => [ownLimit, defaultLimit, limit])
  const set = await operate('PATCH', { queuedMessages: 0, storedMessages: 50, webhooks: 7 })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const own = [
    [0, 100, null],
    [50, null, 50],
    [null, 5_000_000, 5_000_000],
    [7, 3, 7],
  ]
  assert.deepEqual(limits(set.body), own)
  assert.deepEqual(limits((await operate('GET')).body), own)
  const seen = await service.get('/v1/account/quotas')
  assert.deepEqual(
    seen.body.quotas.map(({ limit }: Quota) => limit),
    [null, 50, 5_000_000, 7],
  )
  const restored = await operate('PATCH', { queuedMessages: null, webhooks: null })
  assert.deepEqual(limits(restored.body)[0], [null, 100, 100])
  assert.deepEqual(limits(restored.body)[3], [null, 3, 3])

  const other = await service.otherAccount()
  assert.deepEqual(limits((await operate('GET', undefined, other.accountId)).body)[1], [
    null,
    null,
    null,
  ])
  const audit = await service.call('GET', '/operator/v1/audit/list?act=account.quotas', undefined, {
    token: OPERATOR_TOKEN,
  })
  const [last] = audit.body.acts
  assert.deepEqual(
    [last.accountId, last.subject, last.before.webhooks, last.after.webhooks],
    [service.accountId, service.accountId, 7, null],
  )
})

test('limits are checked, and only existing accounts have some', async (t) => {
  const { operate } = await stage(t)
  for (const name of NAMES) {
    for (const value of [-1, 1.5, '5', 2 ** 53, true]) {
      const reply = await operate('PATCH', { [name]: value })
      assert.equal(reply.status, 400, `${name} ${value}`)
      assert.equal(reply.body.error, `${name} must be a whole number, 0 or more, or null`)
    }
  }
  const missing = await operate('PATCH', { webhooks: 1 }, 'acc_01km3v9w8m0000pqv3t5x7z9bd')
  assert.deepEqual([missing.status, missing.body.code], [404, 'account_missing'])
  const unknown = await operate('GET', undefined, 'acc_1')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'account_missing'])
})

test('sends above the queue quota are refused one by one, and accepted again when there is room', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_QUEUED: '3' })
  const { service, send, trySend } = sending
  const before = await service.balance()
  await send()
  const first = await send(later(sending))
  await send({ ...later(sending), mediaUrls: ['https://example.com/a.png'] })
  const charged = before - (await service.balance())
  for (const input of [{}, later(sending), { mediaUrls: ['https://example.com/a.png'] }]) {
    const { status, body, headers } = await trySend(input)
    assert.deepEqual(body, { success: false, error: queueText('3', '3'), code: 'queue_full' })
    assert.deepEqual([status, headers['retry-after']], [429, '10'])
  }
  assert.equal(before - (await service.balance()), charged, 'nothing else was charged')
  assert.equal(await usedOf(sending, 'queuedMessages'), 3)
  const canceled = await service.call('DELETE', `/v1/message/${first}`)
  assert.equal(canceled.status, 200)
  await eventually(async () => (await trySend()).status === 200, 'room for one')
  assert.equal((await trySend()).body.code, 'queue_full')
})

test('a batch is accepted as far as the quota allows, in order, and its retry continues', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_QUEUED: '5' })
  const { service, number, operate } = sending
  const messages = Array.from({ length: 8 }, (_, i) => ({
    ...{ to: i === 1 ? 'nobody' : VZW, from: number, body: `Hello ${i}` },
    ...later(sending),
  }))
  const headers = { 'idempotency-key': 'a' }
  const batch = await service.post('/v1/message/batch', { messages }, { headers })
  assert.deepEqual(
    batch.body.results.map((one: Json) => one.code ?? 'accepted'),
    ['accepted', 'field_invalid', ...Array(4).fill('accepted'), 'queue_full', 'queue_full'],
  )
  assert.equal(batch.body.results[6].error, queueText('5', '5'))
  await operate('PATCH', { queuedMessages: 6 })
  const rest = { messages: messages.slice(6) }
  const more = await eventually(async () => {
    const { body } = await service.post('/v1/message/batch', rest)
    return body.results[0].success && body.results
  }, 'room for one')
  assert.deepEqual(
    more.map((one: Json) => one.code ?? 'accepted'),
    ['accepted', 'queue_full'],
  )
})

test('a send that was accepted before gets its answer again, although the queue is full', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_QUEUED: '1' })
  const { service, send, trySend, number } = sending
  const headers = { 'idempotency-key': 'once' }
  const id = await send(later(sending), { headers })
  const input = { campaign: sending.campaignId, to: VZW, body: 'Hello' }
  const { scheduledAt } = (await sending.message(id)) as { scheduledAt: string }
  const again = await service.post('/v1/message/send', { ...input, scheduledAt }, { headers })
  assert.deepEqual([again.status, again.body.id], [200, id])
  assert.equal((await trySend()).body.code, 'queue_full')
  const entry = { to: VZW, from: number, body: 'Hello' }
  const refused = await service.post('/v1/message/batch', { messages: [entry] })
  assert.equal(refused.body.results[0].code, 'queue_full')
})

test('concurrent sends never exceed the quota of one process', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_QUEUED: '40' })
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      sending.trySend({ body: `Hello ${i}`, ...later(sending) }),
    ),
  )
  const accepted = replies.filter(({ status }) => status === 200)
  assert.equal(accepted.length, 40)
  assert.equal(await usedOf(sending, 'queuedMessages'), 40)
})

test('messages that leave the queue make room without a pause', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_QUEUED: '5' }, { roles: ['dispatch'] })
  for (let i = 0; i < 30; i += 1) {
    await eventually(async () => (await sending.trySend()).status === 200, `message ${i}`)
  }
})

test('stored messages are limited for sends, and received ones are always stored', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_STORED: '2' })
  const { service, trySend, inbound } = sending
  for (const text of ['Hi', 'Hello']) assert.equal((await inbound(VZW, text)).status, 200)
  const { status, body } = await trySend()
  assert.deepEqual([status, body.code], [422, 'messages_full'])
  assert.equal(
    body.error,
    'Your account stores 2 messages. Its limit is 2. Nothing was sent or charged. Ask your operator for a higher limit, or to delete old messages sooner.',
  )
  for (const text of ['Hi again', 'STOP']) assert.equal((await inbound(VZW, text)).status, 200)
  // With the confirmation of STOP.
  assert.equal(await usedOf(sending, 'storedMessages'), 5)
  const list = await service.get(`/v1/message/list?campaign=${sending.campaignId}`)
  assert.equal(list.body.messages.length, 5)
})

test('SMPP submits above the quota get ESME_RMSGQFUL with the reason', async (t) => {
  const { service, number } = await stage(
    t,
    { LONGCODE_QUOTA_QUEUED: '1', LONGCODE_SMPP_PORT: '0' },
    { roles: ['api'] },
  )
  const customer = await boundCustomer(t, service, await smppToken(service))
  const first = await customer.submit(plain(number, VZW, 'Hello'))
  assert.equal(first.status, 'ESME_ROK')
  const { status, sentence } = await customer.submit(plain(number, VZW, 'Hello'))
  assert.equal(status, 'ESME_RMSGQFUL')
  assert.equal(sentence, queueText('1', '1').slice(0, 255))
})

async function twilio(t: TestContext, env: Record<string, string>): Promise<TwilioStage> {
  return twilioStage(t, optionsOf(env))
}

test('the Twilio-compatible API refuses with Twilio’s code for a full queue', async (t) => {
  const { client, number } = await twilio(t, { LONGCODE_QUOTA_QUEUED: '1' })
  const create = () => client().messages.create({ to: VZW, from: number, body: 'Hello' })
  await create()
  assert.deepEqual(await codeOf(create()), [21611, 429])
})

test('the Twilio-compatible API refuses an SmsUrl above the quota of webhooks', async (t) => {
  const { client, number, service, campaignId } = await twilio(t, { LONGCODE_QUOTA_WEBHOOKS: '1' })
  const numbers = await client().incomingPhoneNumbers.list({ phoneNumber: number })
  const update = (smsUrl: string) =>
    client().incomingPhoneNumbers(numbers[0]!.sid).update({ smsUrl })
  await update('https://example.com/sms')
  await update('https://example.com/other')
  const url = `/v1/campaign/${campaignId}/webhooks`
  const hook = { url: 'https://example.com/hook', eventTypes: ['message.status'] }
  assert.equal((await service.post(url, hook)).body.code, 'webhooks_full')
  await update('')
  assert.equal((await service.post(url, hook)).status, 200)
  assert.deepEqual(await codeOf(update('https://example.com/sms')), [20422, 422])
})

test('webhooks are limited over all campaigns, also if several are created at a time', async (t) => {
  const { service, campaignId } = await stage(t, { LONGCODE_QUOTA_WEBHOOKS: '4' })
  const other = await activeCampaign(service)
  const create = (campaign: string) =>
    service.post(`/v1/campaign/${campaign}/webhooks`, {
      url: 'https://example.com/hook',
      eventTypes: ['message.status'],
    })
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) => create(i % 2 ? campaignId : other.campaignId)),
  )
  const created = replies.filter(({ status }) => status === 200)
  assert.equal(created.length, 4)
  const refused = replies.find(({ status }) => status !== 200)!
  assert.deepEqual(refused.body, {
    success: false,
    error:
      'Your account has 4 webhooks. Its limit is 4. Delete one first, or ask your operator for a higher limit.',
    code: 'webhooks_full',
  })
  assert.equal(refused.status, 422)
  await service.call('DELETE', `/v1/webhook/${created[0]!.body.webhook.id}`)
  assert.equal((await create(campaignId)).status, 200)
})

test('uploads are limited by bytes, and content that is stored already takes none', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_MEDIA_MB: '1' })
  const { service } = sending
  const upload = (content: Buffer) =>
    service.call('POST', '/v1/media', content, { headers: { 'content-type': 'application/pdf' } })
  const large = fileOf('application/pdf', 900_000)
  assert.equal((await upload(large)).status, 200)
  const { status, body } = await upload(fileOf('application/pdf', 100_001))
  assert.deepEqual([status, body.code], [422, 'media_full'])
  assert.equal(
    body.error,
    'Your account stores 900 kB of media. Its limit is 1 MB, and this file does not fit. Nothing was stored. Wait until uploads expire, or ask your operator for a higher limit.',
  )
  assert.equal((await upload(large)).status, 200)
  assert.equal((await upload(fileOf('application/pdf', 100_000))).status, 200)
  assert.equal(await usedOf(sending, 'mediaBytes'), 1_000_000)
  assert.equal((await upload(large)).status, 200)
  assert.equal(await usedOf(sending, 'mediaBytes'), 1_000_000)
})

test('files of received messages wait for room, and the message is there at once', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_MEDIA_MB: '1' }, { roles: ['dispatch'] })
  const { service, inbound, message, operate } = sending
  const origin = await mediaServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(fileOf('image/png', 1_000_001))
  })
  const received = await inbound(VZW, 'Look', { mediaUrls: [`${origin}/a.png`] })
  const { id, mediaUrls } = await message(received.body.id)
  const attempts = () =>
    service.world.db.query<{ attempts: number }>(sql`
      select attempts from media_fetches where message_id = ${id}`)
  await eventually(async () => (await attempts())[0]!.attempts > 0, 'an attempt')
  const path = new URL(mediaUrls[0]).pathname
  assert.equal((await service.app.inject({ url: path })).statusCode, 503)

  await operate('PATCH', { mediaBytes: 2_000_000 })
  await eventually(async () => {
    await sending.advance(120)
    return (await service.app.inject({ url: path })).statusCode === 200
  }, 'the file is stored')
  assert.equal(await usedOf(sending, 'mediaBytes'), 1_000_001)
})

test('a file that found no room for a day is missing, and the timeline says why', async (t) => {
  const sending = await stage(t, { LONGCODE_QUOTA_MEDIA_MB: '1' }, { roles: ['dispatch'] })
  const { service, inbound } = sending
  const full = fileOf('application/pdf', 1_000_000)
  const headers = { 'content-type': 'application/pdf' }
  assert.equal((await service.call('POST', '/v1/media', full, { headers })).status, 200)
  let requests = 0
  const origin = await mediaServer(t, (_, response) => {
    requests += 1
    response.writeHead(200, { 'content-type': 'image/png' }).end(fileOf('image/png', 100))
  })
  const received = await inbound(VZW, 'Look', { mediaUrls: [`${origin}/a.png`] })
  const entries = await eventually(async () => {
    await sending.advance(3 * 3_600)
    const { body } = await service.get(`/v1/message/${received.body.id}/timeline`)
    return body.timeline.some(({ kind }: Json) => kind === 'media') && body.timeline
  }, 'it is given up')
  const { text } = entries.find(({ kind }: Json) => kind === 'media')
  assert.match(text, /A file is missing after \d+ attempts\. Your account stores 1 MB of media/)
  assert.equal(requests, 0, 'nothing is fetched that has no room')
})

test('metrics count the accounts at and near each quota, and name them', async (t) => {
  const env = { LONGCODE_QUOTA_QUEUED: '5', LONGCODE_QUOTA_WEBHOOKS: '1000' }
  const sending = await stage(t, env, { roles: ['schedule'] })
  const { service, send, operate } = sending
  for (let i = 0; i < 4; i += 1) await send(later(sending))
  await operate('PATCH', { storedMessages: 4 })
  await service.otherAccount('1') // uses nothing
  const { db, clock } = service.world
  await foldAccount(db, service.accountId, clock.now())
  const lines = await eventually(async () => {
    const { body } = await service.get('/metrics', { token: OPERATOR_TOKEN })
    const found = String(body).match(
      /^longcode_account\w*_quota\S* [^0].*|^longcode_account_quota.* .+/gm,
    )
    return found?.sort()
  }, 'the quotas are measured')
  const account = `account="${service.accountId}"`
  assert.deepEqual(lines, [
    `longcode_account_quota_ratio{${account},quota="queuedMessages"} 0.8`,
    `longcode_account_quota_ratio{${account},quota="storedMessages"} 1`,
    'longcode_accounts_at_quota{quota="storedMessages"} 1',
    'longcode_accounts_near_quota{quota="queuedMessages"} 1',
  ])
})
