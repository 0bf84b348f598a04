// What each field of every provider's links changes in requests and callbacks.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { ProviderRequest } from '../../src/carriers/providers/provider.js'
import type { ProviderClient } from '../../src/carriers/providers/provider-client.js'
import { providerWithSetup } from '../../src/carriers/providers/providers.js'
import { submission } from '../smpp-fixtures.js'
import { accountOf, LINK_FIELDS, messagesOf, type ProviderName } from './provider-messages.js'

const NAMES = ['telnyx', 'bandwidth', 'twilio'] as const
const CAMPAIGN = `cmp_${'1'.repeat(26)}`

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const STATUS_URL = 'https://ours.test/carrier/acme/status/acc_1/msg_1/seal'
const NUMBER = '+14155550107'

/** What the account sends for a message, a probe, and a lookup. */
function requestsOf(name: ProviderName, more: Record<string, unknown> = {}) {
  const messages = messagesOf(name, more)
  const one = submission({ campaignId: CAMPAIGN })
  return {
    submit: messages.submit(one, STATUS_URL),
    probe: messages.probe(),
    lookUp: messages.lookUp!(NUMBER),
    messages,
  }
}

test('the URLs, credentials, and containers of a link are those that its requests use', () => {
  const telnyx = requestsOf('telnyx', { profiles: { [CAMPAIGN]: 'prof' } })
  assert.equal(telnyx.submit.url, 'https://t.test/v2/messages')
  for (const { url, headers } of [telnyx.submit, telnyx.probe, telnyx.lookUp]) {
    assert.ok(url.startsWith('https://t.test/v2/'))
    assert.equal(headers.authorization, 'Bearer KEY')
  }
  assert.equal(JSON.parse(telnyx.submit.body!).messaging_profile_id, 'prof')

  const bandwidth = requestsOf('bandwidth')
  for (const { url, headers } of [bandwidth.submit, bandwidth.probe]) {
    assert.ok(url.startsWith('https://b.test/api/v2/users/55/messages'))
    assert.equal(headers.authorization, basic('u:p'))
  }
  assert.equal(bandwidth.lookUp.url, 'https://l.test/v2/accounts/55/phoneNumberLookup')
  assert.equal(JSON.parse(bandwidth.submit.body!).applicationId, 'app')
  const own = requestsOf('bandwidth', { applications: { [CAMPAIGN]: 'own-app' } })
  assert.equal(JSON.parse(own.submit.body!).applicationId, 'own-app')

  const sid = String(LINK_FIELDS.twilio.accountSid)
  const twilio = requestsOf('twilio', { services: { [CAMPAIGN]: 'MG1' } })
  for (const { url, headers } of [twilio.submit, twilio.probe]) {
    assert.ok(url.startsWith(`https://w.test/2010-04-01/Accounts/${sid}/Messages.json`))
    assert.equal(headers.authorization, basic(`${sid}:tok`))
  }
  assert.equal(
    twilio.lookUp.url,
    `https://l.test/v2/PhoneNumbers/${encodeURIComponent(NUMBER)}?Fields=line_type_intelligence`,
  )
  assert.equal(new URLSearchParams(twilio.submit.body).get('MessagingServiceSid'), 'MG1')
  const keyed = requestsOf('twilio', { apiKey: 'SK1', apiSecret: 'sec' })
  for (const { headers } of [keyed.submit, keyed.probe, keyed.lookUp])
    assert.equal(headers.authorization, basic('SK1:sec'))
})

const callback = (body: string, headers: Record<string, string> = {}) => ({
  ...{ method: 'POST', path: '/', query: {}, headers, body: Buffer.from(body) },
})

test('callbacks are accepted with the credentials of the link, and with no others', () => {
  const at = { url: 'https://ours.test/carrier/acme', now: new Date() }
  const bandwidth = messagesOf('bandwidth')
  const accepts = (text: string) =>
    bandwidth.isGenuine(callback('[]', { authorization: basic(text) }), at)
  assert.equal(accepts('cu:hush-hush-hush'), true)
  for (const other of ['u:p', 'cu:p', 'u:hush-hush-hush'])
    assert.equal(accepts(other), false, other)
  const twilio = messagesOf('twilio', { apiKey: 'SK1', apiSecret: 'sec' })
  const signed = (key: string) => {
    const signature = createHmac('sha1', key).update(`${at.url}a1`).digest('base64')
    return twilio.isGenuine(callback('a=1', { 'x-twilio-signature': signature }), at)
  }
  assert.deepEqual([signed('tok'), signed('sec')], [true, false])
})

test('answersKeywords decides whether the provider has replied to STOP, and mmsReceipts whether an MMS is delivered', () => {
  const inbound: Record<'telnyx' | 'twilio', string> = {
    telnyx: JSON.stringify({
      data: {
        event_type: 'message.received',
        payload: {
          id: 'x',
          text: 'stop',
          from: { phone_number: NUMBER },
          to: [{ phone_number: '+14152000001' }],
        },
      },
    }),
    twilio: `MessageSid=x&SmsStatus=received&From=%2B1&To=%2B2&Body=stop`,
  }
  for (const name of ['telnyx', 'twilio'] as const) {
    for (const answersKeywords of [true, false]) {
      const [one] = messagesOf(name, { answersKeywords }).readCallbacks(callback(inbound[name]))!
      assert.equal(one?.kind === 'inbound' && one.handled, answersKeywords ? 'STOP' : null)
    }
  }
  const delivered = JSON.stringify([
    { type: 'message-delivered', message: { id: 'x', media: ['https://x.test'] } },
  ])
  for (const mmsReceipts of [true, false]) {
    const [one] = messagesOf('bandwidth', { mmsReceipts }).readCallbacks(callback(delivered))!
    assert.equal(one?.kind === 'receipt' && one.status, mmsReceipts ? 'DELIVERED' : 'SENT')
  }
})

/** A client that records requests and answers each the same way. */
function recorder(body: string) {
  const requests: ProviderRequest[] = []
  const client: ProviderClient = {
    request: async (request) => {
      requests.push(request)
      return { status: 200, headers: {}, body: Buffer.from(body) }
    },
    requestJson: async (request) => {
      requests.push(request)
      return JSON.parse(body)
    },
    close: async () => {},
  }
  return { client, requests }
}

const SOURCE = {
  ...{ link: 'acme', monthlyPriceMicros: 1_500_000n, settleMs: 7_000 },
  callbackUrl: 'https://ours.test/carrier/acme',
}

test('numbers are ordered with the URLs, credentials, and places of the link', async () => {
  const order = { reference: 'ref-1', phoneNumber: NUMBER, profileId: null }
  const sourceOf = async (name: ProviderName, more: Record<string, unknown>, reply: string) => {
    const { client, requests } = recorder(reply)
    const { numbers } = accountOf(name, more)
    const source = numbers!.create({ ...SOURCE, profiles: numbers!.profiles }, client)
    const { link, monthlyPriceMicros, settleMs } = source
    assert.deepEqual([link, monthlyPriceMicros, settleMs], ['acme', 1_500_000n, 7_000])
    await source.order(order)
    return { source, order: requests[0]! }
  }
  const telnyx = await sourceOf(
    'telnyx',
    { numbers: {}, profiles: { [CAMPAIGN]: 'prof' } },
    '{"data":{"id":"o"}}',
  )
  assert.equal(telnyx.order.url, 'https://t.test/v2/number_orders')
  assert.equal(telnyx.order.headers.authorization, 'Bearer KEY')
  assert.equal(telnyx.source.profileOf(CAMPAIGN), 'prof')

  const place = { siteId: '11', locationId: '22', locations: { [CAMPAIGN]: '33' } }
  const xml = '<OrderStatus>RECEIVED</OrderStatus>'
  const bandwidth = await sourceOf('bandwidth', { numbers: place }, xml)
  assert.equal(bandwidth.order.url, 'https://d.test/accounts/55/orders')
  assert.equal(bandwidth.order.headers.authorization, basic('u:p'))
  assert.match(bandwidth.order.body!, /<SiteId>11<\/SiteId><PeerId>22<\/PeerId>/)
  assert.equal(bandwidth.source.profileOf(CAMPAIGN), '33')
  assert.equal(bandwidth.source.profileOf('cmp_2'), '22')
  assert.equal(accountOf('bandwidth').numbers, undefined)

  const twilio = await sourceOf(
    'twilio',
    { numbers: {}, services: { [CAMPAIGN]: 'MG1' } },
    '{"sid":"PN1"}',
  )
  const sid = String(LINK_FIELDS.twilio.accountSid)
  assert.equal(
    twilio.order.url,
    `https://w.test/2010-04-01/Accounts/${sid}/IncomingPhoneNumbers.json`,
  )
  assert.equal(twilio.order.headers.authorization, basic(`${sid}:tok`))
  assert.equal(twilio.source.profileOf(CAMPAIGN), 'MG1')
  const { client, requests } = recorder('{"services":[]}')
  const { numbers } = accountOf('twilio')
  await numbers!.create({ ...SOURCE, profiles: new Map() }, client).findProfile(CAMPAIGN)
  assert.ok(requests[0]!.url.startsWith('https://m.test/v1/Services'))
})

test('links of one account share its numbers, and callback URLs are sealed with a secret of the account', () => {
  const ofAccount = (name: ProviderName, more?: Record<string, unknown>) => {
    const { id, secret } = accountOf(name, more)
    return [id, secret]
  }
  assert.deepEqual(ofAccount('telnyx'), ['KEY', 'KEY'])
  assert.deepEqual(ofAccount('bandwidth'), ['55 app', 'hush-hush-hush'])
  assert.deepEqual(ofAccount('twilio', { apiKey: 'SK', apiSecret: 'x' }), [
    LINK_FIELDS.twilio.accountSid,
    'tok',
  ])
})

test('an error of a provider has its code and text, in each of its formats', () => {
  const errorOf = (name: ProviderName, body: string, part: 'setup' | 'numbers' = 'setup') => {
    const { numbers } = accountOf(name, { numbers: { siteId: '1', locationId: '2' } })
    const { parseError } = part === 'setup' ? providerWithSetup(name).setup : numbers!
    const { code, text } = parseError({ status: 400, headers: {}, body: Buffer.from(body) })
    return [code, text]
  }
  const telnyx = { errors: [{ code: '10009', title: 'No', detail: 'Not at all' }, { code: '1' }] }
  for (const part of ['setup', 'numbers'] as const) {
    assert.deepEqual(errorOf('telnyx', JSON.stringify(telnyx), part), ['10009', 'Not at all'])
    assert.deepEqual(errorOf('telnyx', '{"errors":[{"code":1,"title":"No"}]}', part), ['1', 'No'])
    assert.deepEqual(errorOf('twilio', '{"code":20003,"message":"No"}', part), ['20003', 'No'])
    assert.deepEqual(
      errorOf('bandwidth', '<E><Code>5</Code><Description>No</Description></E>', part),
      ['5', 'No'],
    )
    assert.deepEqual(
      errorOf('bandwidth', '<E><ErrorCode>6</ErrorCode><Message>No</Message></E>', part),
      ['6', 'No'],
    )
    for (const name of NAMES) assert.deepEqual(errorOf(name, 'Bad Gateway', part), [null, null])
  }
  assert.deepEqual(errorOf('bandwidth', '{"type":"forbidden","description":"Denied"}'), [
    'forbidden',
    'Denied',
  ])
  assert.deepEqual(errorOf('bandwidth', '{"type":"x","code":4720,"description":"No"}'), [
    '4720',
    'No',
  ])
})
