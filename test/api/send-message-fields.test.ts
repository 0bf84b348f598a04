// POST /v1/message/send: the valid values of each field, and the errors for others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDollars, idOf, MMS_PRICE, sendingService, told } from '../sending.js'

test('a body must not be blank and has at most 1500 user-visible characters', async (t) => {
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

test('numbers must have the E.164 format of the contract', async (t) => {
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
    '+14155550107\n',
    '+1４155550107',
    14155550107,
    ['+14155550107'],
  ]
  for (const to of wrong) {
    const reply = await trySend({ to })
    assert.equal(reply.status, 400, JSON.stringify(to))
    assert.match(reply.body.error, /^to must be a phone number in E\.164 form/)
    const from = await trySend({ from: to })
    assert.match(from.body.error, /^from must be a phone number in E\.164 form/)
  }
  assert.deepEqual(told(await trySend({ to: undefined })), [400, 'to is required'])
  assert.equal((await trySend({ to: null })).status, 400)
})

test('a message with media is an MMS of one segment at the MMS price', async (t) => {
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

  const wanted = 'mediaUrls must be a list of at most 10 http(s) URLs'
  for (const wrong of [[...mediaUrls, 'http://a.example/'], 'http://a.example/', {}]) {
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

test('in production, media URLs must be public', async (t) => {
  const env = {
    LONGCODE_MODE: 'production',
    DATABASE_URL: 'postgres://given.by.the/test',
    LONGCODE_CARRIER: 'simulator',
    LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true',
  }
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

test('metadata has at most 50 pairs of short strings', async (t) => {
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
    [{ a: 'b\u0000' }, 'metadata.a must not contain the character NUL'],
  ]) {
    assert.deepEqual(told(await trySend({ metadata })), [400, error])
  }
  for (const key of ['k'.repeat(65), '']) {
    const reply = await trySend({ metadata: { [key]: 'v' } })
    assert.deepEqual(told(reply), [400, 'metadata must have keys of 1 to 64 characters'])
  }
})
