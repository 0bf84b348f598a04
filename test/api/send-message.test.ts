// POST /v1/message/send: what is accepted, what it costs, and every refusal in its order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import {
  assertDollars,
  changeCampaign,
  idOf,
  MMS_PRICE,
  SMS_PRICE,
  sendingService,
  told,
  VZW,
} from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/send'

test('a sent message can be retrieved as it was asked for', async (t) => {
  const { service, trySend, message, campaignId, number } = await sendingService(t)
  const metadata = { order: '1042', note: 'a "quoted" \\ {text}, with ümlaut' }
  const reply = await trySend({ metadata, body: 'Your table is ready.', unknown: 1 })
  assert.equal(reply.status, 200)
  const { id } = reply.body
  assert.deepEqual(reply.body, { success: true, id })
  assert.match(id, /^msg_/)
  const sent = await message(id)
  const { createdAt, updatedAt, ...rest } = sent
  assert.deepEqual(rest, {
    id,
    type: 'SMS',
    sentAt: null,
    scheduledAt: null,
    direction: 'OUTBOUND',
    from: number,
    to: VZW,
    body: 'Your table is ready.',
    mediaUrls: [],
    metadata,
    numSegments: 1,
    errorCode: null,
    errorMessage: null,
    campaignId,
    status: 'QUEUED',
    price: SMS_PRICE,
  })
  assert.equal(updatedAt, createdAt)
  assert.ok(Math.abs(Date.parse(createdAt) - service.world.clock.now().getTime()) < 600_000)
})

test('callers without token, scope or readable JSON are told in the shape of a send', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'send',
    takesBody: true,
  })
})

test('of several faults the first in the order of the checks is told', async (t) => {
  const { service, campaignId } = await sendingService(t, { balance: '1.5' })
  const wrong = {
    body: ' ',
    to: '4155550107',
    from: '(415) 200-0001',
    mediaUrls: ['ftp://acme.example/a.png'],
    metadata: { order: 1042 },
    scheduledAt: 'tomorrow',
    campaign: 'cmp_none',
  }
  const e164 = 'must be a phone number in E.164 form such as +14155550123'
  const steps = [
    [{}, 400, 'Message body required'],
    [{ body: 'x'.repeat(1501) }, 400, 'body must be at most 1500 characters'],
    [{ body: 'Hello' }, 400, `to ${e164}`],
    [{ to: VZW }, 400, `from ${e164}`],
    [{ from: undefined }, 400, 'mediaUrls[0] must start with http:// or https://'],
    [{ mediaUrls: [] }, 400, 'metadata.order must be a string'],
    [{ metadata: {} }, 400, 'scheduledAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z'],
    [{ scheduledAt: undefined }, 404, 'Campaign not found'],
    [
      { campaign: campaignId, from: '+14152009999' },
      400,
      /^from must be a number of this campaign/,
    ],
    [{ from: undefined, body: 'x'.repeat(1500) }, 200, undefined],
  ] as const
  let body: Record<string, unknown> = wrong
  for (const [change, status, error] of steps) {
    body = { ...body, ...change }
    const reply = await service.post(URL, body)
    assert.equal(reply.status, status, JSON.stringify([change, reply.body]))
    if (error instanceof RegExp) assert.match(reply.body.error, error)
    else assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, status === 200)
  }
})

test('a body must say something, in at most 1500 characters as people count them', async (t) => {
  const { trySend, send, message } = await sendingService(t)
  const blanks = [undefined, null, '', ' \t\r\n ', '\u200b\u200d\u2060\ufeff', '\u00a0\u2003\u3000']
  for (const body of blanks) {
    const reply = await trySend({ body })
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.deepEqual(reply.body, {
      success: false,
      error: 'Message body required',
      code: 'field_invalid',
      details: [{ field: 'body', problem: 'is required' }],
    })
  }
  assert.deepEqual(told(await trySend({ body: 5 })), [400, 'body must be a string'])
  assert.deepEqual(told(await trySend({ body: ['Hello'] })), [400, 'body must be a string'])
  for (const character of ['a', '\u{1f600}', '€']) {
    const longest = character.repeat(1500)
    assert.equal((await message(await send({ body: longest }))).body, longest)
    const over = await trySend({ body: `${longest}${character}` })
    assert.deepEqual(told(over), [400, 'body must be at most 1500 characters'])
  }
  assert.deepEqual(told(await trySend({ body: 'a\u0000b' })), [
    400,
    'body must not contain the character NUL',
  ])
})

test('numbers must be written as the contract writes them', async (t) => {
  const { trySend } = await sendingService(t)
  const wrong = [
    '',
    '14155550107',
    '4155550107',
    '+1415555010',
    '+141555501077',
    '+1 415 555 0107',
    '+1-415-555-0107',
    '(415) 555-0107',
    '+44155550107',
    '+14155550107\n',
    '+1４155550107',
    14155550107,
    ['+14155550107'],
    null,
  ]
  for (const to of wrong) {
    const reply = await trySend({ to })
    assert.equal(reply.status, 400, JSON.stringify(to))
    assert.match(reply.body.error, /^to must be a phone number in E\.164 form/)
    const from = await trySend({ from: to })
    assert.match(from.body.error, /^from must be a phone number in E\.164 form/)
  }
  assert.deepEqual(told(await trySend({ to: undefined })), [400, 'to is required'])
})

test('media makes an MMS of one segment at its own price', async (t) => {
  const { service, send, message, trySend } = await sendingService(t)
  const before = await service.balance()
  const mediaUrls = Array.from({ length: 10 }, (_, i) => `http://127.0.0.1:9/${i}.png`)
  const sent = await message(await send({ mediaUrls, body: 'x'.repeat(500) }))
  assert.equal(sent.type, 'MMS')
  assert.equal(sent.numSegments, 1)
  assert.equal(sent.price, MMS_PRICE)
  assert.deepEqual(sent.mediaUrls, mediaUrls)
  assertDollars(await service.balance(), before - MMS_PRICE)
  assert.equal((await message(await send({ mediaUrls: [] }))).type, 'SMS')

  const wanted = 'mediaUrls must be a list of at most 10 http(s) addresses'
  for (const wrong of [[...mediaUrls, 'http://a.example/'], 'http://a.example/', null, {}]) {
    assert.deepEqual(told(await trySend({ mediaUrls: wrong })), [400, wanted])
  }
  for (const [url, problem] of [
    ['data:text/plain,hi', 'must start with http:// or https://'],
    ['a.example/x.png', 'must start with http:// or https://'],
    ['http://', 'must name a host'],
    ['https://user:pass@a.example/', 'must not contain a user name or password'],
    [5, 'must be a string'],
    [`http://a.example/${'x'.repeat(2000)}`, 'must be at most 2000 characters'],
  ]) {
    const reply = await trySend({ mediaUrls: ['http://a.example/ok.png', url] })
    assert.deepEqual(told(reply), [400, `mediaUrls[1] ${problem}`])
  }
})

test('in production media at an address that is not public is refused', async (t) => {
  const env = { LONGCODE_MODE: 'production', DATABASE_URL: 'postgres://given.by.the/test' }
  const { trySend } = await sendingService(t, { env })
  for (const url of [
    'http://127.0.0.1/a.png',
    'http://2130706433/a.png',
    'http://[::1]/a.png',
    'http://10.0.0.8/a.png',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/a.png',
    'http://printer.local/a.png',
  ]) {
    const reply = await trySend({ mediaUrls: [url] })
    assert.deepEqual(told(reply), [400, 'mediaUrls[0] must point to a public address'], url)
  }
  const order = await trySend({ mediaUrls: ['http://10.0.0.8/a.png'], metadata: { a: 1 } })
  assert.deepEqual(told(order), [400, 'mediaUrls[0] must point to a public address'])
  idOf(await trySend({ mediaUrls: ['https://acme.example/a.png'] }))
})

test('metadata is at most 50 pairs of short texts', async (t) => {
  const { trySend, send, message } = await sendingService(t)
  const pairs = (count: number, value = 'v'): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
  const largest = { ...pairs(48, 'ä'.repeat(512)), ['\u{1f600}'.repeat(64)]: '', 'a\nb': 'c' }
  assert.deepEqual((await message(await send({ metadata: largest }))).metadata, largest)

  for (const [metadata, error] of [
    [pairs(51), 'metadata must have at most 50 entries'],
    [{ a: 'v'.repeat(513) }, 'metadata.a must be at most 512 characters'],
    [{ a: 5 }, 'metadata.a must be a string'],
    [{ 'a\nb': 5 }, 'metadata.a\nb must be a string'],
    [{ a: null }, 'metadata.a must be a string'],
    [{ a: { b: 'c' } }, 'metadata.a must be a string'],
    [['a'], 'metadata must be an object'],
    ['a', 'metadata must be an object'],
    [null, 'metadata must be an object'],
    [{ a: 'b\u0000' }, 'metadata.a must not contain the character NUL'],
  ]) {
    assert.deepEqual(told(await trySend({ metadata })), [400, error])
  }
  for (const key of ['k'.repeat(65), '']) {
    const reply = await trySend({ metadata: { [key]: 'v' } })
    assert.deepEqual(told(reply), [400, 'metadata must have keys of 1 to 64 characters'])
  }
})

test('the campaign must be known, ACTIVE and have a number', async (t) => {
  const { service, trySend } = await sendingService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, foreign.campaignId, { token: other.token })
  const unknown = ['', 'x', 'cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId, 'é'.repeat(500)]
  for (const campaign of unknown) {
    const reply = await trySend({ campaign })
    assert.equal(reply.status, 404, campaign)
    assert.deepEqual(reply.body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
  assert.deepEqual(told(await trySend({ campaign: 7 })), [400, 'campaign must be a string'])

  const { campaignId: campaign } = await activeCampaign(service)
  const numberless = await trySend({ campaign })
  assert.deepEqual(told(numberless), [
    409,
    'The campaign has no phone number: buy one before sending',
  ])
  await buyNumber(service, campaign)
  for (const status of ['DRAFT', 'PENDING', 'SUSPENDED'] as const) {
    await changeCampaign(service, campaign, { status })
    const reply = await trySend({ campaign })
    assert.deepEqual(told(reply), [
      409,
      `The campaign is ${status}: only an ACTIVE campaign can send`,
    ])
    assert.equal(reply.body.code, 'campaign_state')
  }
  await changeCampaign(service, campaign, { status: 'ACTIVE' })
  idOf(await trySend({ campaign }))
  // Right after a send the campaign's numbers are still remembered; its status is not.
  await changeCampaign(service, campaign, { status: 'SUSPENDED' })
  assert.deepEqual(told(await trySend({ campaign })), [409, 'The campaign is not ACTIVE'])
})

test('the sender must be a number of the campaign, and stands for it where it is left out', async (t) => {
  const { service, trySend, message, campaignId, number } = await sendingService(t)
  const second = await activeCampaign(service)
  const otherNumber = await buyNumber(service, second.campaignId)
  const account = await service.otherAccount()
  const third = await activeCampaign(service, { accountId: account.accountId })
  const foreignNumber = await buyNumber(service, third.campaignId, { token: account.token })

  for (const from of [otherNumber, foreignNumber, '+14155550199']) {
    const reply = await trySend({ from })
    assert.equal(reply.status, 400)
    assert.equal(reply.body.code, 'sender_foreign')
  }
  const given = await message(idOf(await trySend({ from: number })))
  assert.deepEqual([given.from, given.campaignId], [number, campaignId])
  const implied = await message(idOf(await trySend({ campaign: undefined, from: otherNumber })))
  assert.deepEqual([implied.from, implied.campaignId], [otherNumber, second.campaignId])

  for (const from of [foreignNumber, '+14155550199']) {
    const reply = await trySend({ campaign: undefined, from })
    assert.deepEqual(told(reply), [404, 'Campaign not found'])
  }
  assert.deepEqual(told(await trySend({ campaign: undefined })), [
    400,
    'campaign is required unless from names one of your numbers',
  ])
})

test('a recipient who has opted out of the campaign is not written to', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t)
  const before = await service.balance()
  const path = `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`
  assert.equal((await service.call('PUT', path, { reason: 'Asked by phone' })).status, 200)
  const reply = await trySend()
  assert.equal(reply.status, 422)
  assert.deepEqual(reply.body, {
    success: false,
    error: 'Recipient has opted out',
    code: 'recipient_opted_out',
  })
  assertDollars(await service.balance(), before)
  const list = await service.get(`/v1/message/list?campaign=${campaignId}`)
  assert.deepEqual(list.body.messages, [])

  idOf(await trySend({ to: '+14155550108' }))
  const second = await activeCampaign(service)
  await buyNumber(service, second.campaignId)
  idOf(await trySend({ campaign: second.campaignId }))
})

test('what the balance does not cover is refused, and nothing is written or taken', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t, { balance: '1.0237' })
  const list = () => service.get(`/v1/message/list?campaign=${campaignId}&limit=1000`)
  assertDollars(await service.balance(), 0.0237) // the number took the dollar: three messages are left
  const dear = await trySend({ body: 'x'.repeat(500) })
  assert.equal(dear.status, 402)
  assert.deepEqual(dear.body, {
    success: false,
    error: 'Insufficient account balance',
    code: 'balance_insufficient',
  })
  assert.deepEqual((await list()).body.messages, [])
  assertDollars(await service.balance(), 0.0237)

  // All at once: exactly those that are covered go through.
  const replies = await Promise.all(Array.from({ length: 8 }, () => trySend()))
  assert.deepEqual(
    replies.map(({ status }) => status).sort(),
    [200, 200, 200, 402, 402, 402, 402, 402],
  )
  assert.equal((await list()).body.messages.length, 3)
  assertDollars(await service.balance(), 0)
})

test('an opted-out recipient takes nothing of a short balance from the others', async (t) => {
  const { service, trySend, campaignId } = await sendingService(t, { balance: '1.0158' })
  const path = `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`
  await service.call('PUT', path, { reason: 'Asked by phone' })
  await trySend({ campaign: 'cmp_none' }) // from here on the sends meet in one batch
  const recipients = [VZW, '+14155550108', '+14155550109', '+14155550117']
  const replies = await Promise.all(recipients.map((to) => trySend({ to })))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [422, 200, 200, 402],
  )
})

test('texts are folded where that makes them cheaper, and billed by the segment', async (t) => {
  const { service, send, message } = await sendingService(t)
  let spent = 0
  const before = await service.balance()
  for (const [body, stored, numSegments] of [
    ['x'.repeat(160), 'x'.repeat(160), 1],
    ['x'.repeat(161), 'x'.repeat(161), 2],
    ['x'.repeat(320), 'x'.repeat(320), 2],
    ['€'.repeat(80), '€'.repeat(80), 1],
    ['€'.repeat(81), '€'.repeat(81), 2],
    ['“Dinner” – don’t be late…', '"Dinner" - don\'t be late...', 1],
    ['“Ж”', '“Ж”', 1],
    ['Ж'.repeat(70), 'Ж'.repeat(70), 1],
    ['Ж'.repeat(71), 'Ж'.repeat(71), 2],
    ['\u{1f600}'.repeat(35), '\u{1f600}'.repeat(35), 1],
    ['\u{1f600}'.repeat(36), '\u{1f600}'.repeat(36), 2],
  ] as const) {
    const sent = await message(await send({ body }))
    assert.equal(sent.body, stored)
    assert.equal(sent.numSegments, numSegments, body)
    assertDollars(sent.price, numSegments * SMS_PRICE)
    spent += numSegments * SMS_PRICE
    assertDollars(await service.balance(), before - spent)
  }
})

test('an operator whose carriers bill by part can count parts, and set the prices', async (t) => {
  const env = { LONGCODE_SEGMENTS: 'parts', LONGCODE_SMS_PRICE: '0.01', LONGCODE_MMS_PRICE: '0.03' }
  const { send, message } = await sendingService(t, { env })
  for (const [length, numSegments] of [
    [160, 1],
    [306, 2],
    [307, 3],
  ] as const) {
    const sent = await message(await send({ body: 'x'.repeat(length) }))
    assert.deepEqual([sent.numSegments, sent.price], [numSegments, numSegments / 100])
  }
  const mms = await message(await send({ mediaUrls: ['http://a.example/a.png'] }))
  assert.deepEqual([mms.numSegments, mms.price], [1, 0.03])
})

test('a message can be scheduled, from now to 35 days ahead', async (t) => {
  const { service, trySend, send, message } = await sendingService(t)
  const inMs = (ms: number) =>
    new Date(service.world.clock.now().getTime() + ms).toISOString().replace(/\d{3}Z$/, '000Z')
  const DAY_MS = 86_400_000
  const scheduledAt = inMs(34 * DAY_MS)
  const sent = await message(await send({ scheduledAt }))
  assert.equal(sent.status, 'SCHEDULED')
  assert.equal(sent.scheduledAt, scheduledAt)
  const zoned = inMs(2 * 3_600_000 + 60_000).replace('Z', '+02:00')
  const soon = await message(await send({ scheduledAt: zoned }))
  assert.equal(soon.scheduledAt, new Date(zoned).toISOString())

  for (const past of [inMs(-60_000), '1969-12-31T00:00:00Z']) {
    const reply = await trySend({ scheduledAt: past })
    assert.deepEqual(told(reply), [400, 'scheduledAt must be in the future'])
  }
  assert.deepEqual(told(await trySend({ scheduledAt: inMs(35 * DAY_MS + 60_000) })), [
    400,
    'scheduledAt must be at most 35 days ahead',
  ])
  const unreadable = ['', 'tomorrow', '2026-12-24', '2026-12-24T18:00:00', 1766599200, null]
  for (const text of [...unreadable, '2026-02-30T10:00:00Z', '2026-12-31T23:59:60Z']) {
    assert.deepEqual(told(await trySend({ scheduledAt: text })), [
      400,
      'scheduledAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z',
    ])
  }
})
