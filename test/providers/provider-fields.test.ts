// Every field of every provider's links: which are required, their defaults and checks, and what each changes in the
// requests and callbacks. carriers.example.yaml says what is required, and what the defaults are.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ProviderRequest } from '../../src/carriers/providers/provider.js'
import type { ProviderClient } from '../../src/carriers/providers/provider-client.js'
import { PROVIDERS, providerWithSetup } from '../../src/carriers/providers/providers.js'
import { readCarriers } from '../../src/carriers/settings/read-carriers.js'
import { BadSettingsFile } from '../../src/kit/settings-file/settings-file.js'
import { temporaryFolder } from '../commands/run-command.js'
import { submission } from '../smpp-fixtures.js'
import { accountOf, LINK_FIELDS, messagesOf, type ProviderName } from './provider-messages.js'

const NAMES = ['telnyx', 'bandwidth', 'twilio'] as const
const CAMPAIGN = `cmp_${'1'.repeat(26)}`
const EXAMPLE = readFileSync('carriers.example.yaml', 'utf8')

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const titleOf = (name: ProviderName) => PROVIDERS.find((one) => one.name === name)!.title

interface Schema {
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  'x-secret'?: boolean
}

const fieldsOf = (name: ProviderName) =>
  PROVIDERS.find((one) => one.name === name)!.fields as unknown as Schema & {
    properties: Record<string, Schema>
  }

/** The provider's link in carriers.example.yaml. */
const exampleOf = (name: ProviderName) =>
  EXAMPLE.split(/^ {2}(?=- name: )/m).find((part) => part.includes(`\n    kind: ${name}`))!

/** Reads a file with this link only. */
function read(t: TestContext, name: ProviderName, fields: Record<string, unknown>) {
  const file = path.join(temporaryFolder(t), 'carriers.json')
  const link = { name: 'acme', kind: name, ...fields }
  writeFileSync(file, JSON.stringify({ links: [link], routes: [{ links: ['acme'] }] }))
  const publicUrl = 'https://ours.test'
  return readCarriers({ file, allowsSimulator: false, publicUrl, variable: () => null })
}

function problemsOf(...args: Parameters<typeof read>): string[] {
  try {
    read(...args)
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    return error.problems.map((problem) => problem.replace(/^.*?:\d+ links\[0\]\.?/, '').trim())
  }
  return []
}

const required = (name: ProviderName) =>
  [...exampleOf(name).matchAll(/^ {4}(\w+): .*# required/gm)]
    .map(([, field]) => field!)
    .filter((field) => field !== 'kind')

const shortest = (name: ProviderName) =>
  Object.fromEntries(required(name).map((field) => [field, LINK_FIELDS[name][field]]))

for (const name of NAMES) {
  test(`${name}: a link needs the fields that the example marks as required, and no other`, (t) => {
    assert.deepEqual(problemsOf(t, name, shortest(name)), [])
    for (const field of required(name)) {
      const rest = { ...shortest(name) }
      delete rest[field]
      assert.deepEqual(problemsOf(t, name, rest), [`needs ${field}.`])
    }
  })

  test(`${name}: omitted fields have the values of the example`, (t) => {
    const [link] = read(t, name, shortest(name)).links
    const settings = link!.settings as Record<string, unknown>
    for (const [field, schema] of Object.entries(fieldsOf(name).properties)) {
      if (schema.default === undefined) continue
      const [, value] = new RegExp(`^ {4}${field}: (\\S+)`, 'm').exec(exampleOf(name))!
      assert.equal(String(settings[field]), value, field)
    }
  })

  test(`${name}: passwords and keys in plain text cause a warning, and others do not`, (t) => {
    const fields = { ...shortest(name), ...(name === 'twilio' && { apiKey: 'SK', apiSecret: 'x' }) }
    const secrets = Object.keys(fields).filter((field) => /key$|password|token|secret/i.test(field))
    const expected = secrets.filter(
      (field) => !['publicKey', ...(name === 'twilio' ? ['apiKey'] : [])].includes(field),
    )
    const { warnings } = read(t, name, fields)
    const named = Object.keys(fields).filter((field) =>
      warnings.some((warning) => new RegExp(`\\b${field}\\b`).test(warning)),
    )
    assert.deepEqual(named.sort(), expected.sort())
    const marked = Object.entries(fieldsOf(name).properties).filter(([, one]) => one['x-secret'])
    assert.deepEqual(marked.map(([field]) => field).sort(), expected.sort())
  })

  test(`${name}: URLs, texts, and maps are checked`, (t) => {
    const refused = (field: string, value: unknown) =>
      problemsOf(t, name, { ...shortest(name), [field]: value })[0] ?? 'nothing wrong'
    for (const field of Object.keys(fieldsOf(name).properties).filter((one) => /url$/i.test(one))) {
      for (const url of [
        'https://x.test/',
        'ftp://x.test',
        'x.test',
        'https://x.test?a',
        'https://',
      ]) {
        const expected = `${field} must be a URL without a trailing slash, such as https://`
        assert.ok(refused(field, url).startsWith(expected), `${url}: ${refused(field, url)}`)
      }
      for (const url of ['http://10.0.0.1:8080', 'https://x.test/api'])
        assert.deepEqual(refused(field, url), 'nothing wrong')
    }
    for (const field of required(name))
      assert.match(refused(field, ''), new RegExp(`^${field} must`))
    const { byCampaign } = providerWithSetup(name).setup.containerFields
    assert.equal(refused(byCampaign, { [CAMPAIGN]: 'x' }), 'nothing wrong')
    assert.match(refused(byCampaign, { cmp_1: 'x' }), /must be the id of a campaign: cmp_ and 26/)
    assert.match(refused(byCampaign, { [CAMPAIGN]: '' }), new RegExp(byCampaign))
    const place = name === 'bandwidth' ? { siteId: '1', locationId: '2' } : {}
    const priced = (monthlyPrice: number) => refused('numbers', { ...place, monthlyPrice })
    for (const price of [0, 1_000]) assert.equal(priced(price), 'nothing wrong')
    for (const price of [-1, 1_001])
      assert.match(priced(price), /monthlyPrice must be a number from 0 to 1000/)
  })

  test(`${name}: the setup asks for the fields of the link, and their variables are those of the example`, () => {
    const { setup } = providerWithSetup(name)
    const own = exampleOf(name)
    const inExample = [...own.matchAll(/^ {4}(?:# )?(\w+): \$\{(\w+)\}/gm)]
    assert.ok(inExample.length > 0)
    const variables = Object.fromEntries(setup.fields.map((field) => [field.name, field.variable]))
    for (const [, field, variable] of inExample) assert.equal(variables[field!], variable)
    for (const { name: field, variable, isSecret, isRequired, question } of setup.fields) {
      const words = field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
      const usual = `${name.toUpperCase()}_${words}`
      assert.equal(variable, usual === 'TELNYX_API_KEY' ? 'TELNYX_KEY' : usual)
      assert.ok(question !== '')
      assert.match(own, new RegExp(`^ +(# )?${field}: `, 'm'), field)
      const schema = fieldsOf(name).properties[field]
      assert.equal(isSecret === true, schema?.['x-secret'] === true, field)
      if (isRequired) assert.ok(required(name).includes(field), field)
    }
    assert.deepEqual(
      Object.keys(setup.urls).sort(),
      setup.fields
        .filter((one) => /url$/i.test(one.name))
        .map((one) => one.name)
        .sort(),
    )
    for (const [field, url] of Object.entries(setup.urls))
      assert.equal(fieldsOf(name).properties[field]!.default, url)
    const { title, about, container } = { title: titleOf(name), ...setup }
    assert.equal(title.toLowerCase(), name)
    assert.ok(about !== '' && container !== '')
  })
}

test('the setup requires the credentials, and what each provider cannot send callbacks without', () => {
  const requiredOf = (name: ProviderName) =>
    providerWithSetup(name)
      .setup.fields.filter((one) => one.isRequired)
      .map((one) => one.name)
  assert.deepEqual(requiredOf('telnyx'), ['apiKey'])
  assert.deepEqual(requiredOf('bandwidth'), ['accountId', 'user', 'password'])
  assert.deepEqual(requiredOf('twilio'), ['accountSid', 'authToken'])
})

test('the setup refuses values that cannot be right, before the provider sees them', () => {
  const cases: [ProviderName, string, string[], string[], string][] = [
    [
      'twilio',
      'accountSid',
      [`AC${'a'.repeat(32)}`],
      [
        `AC${'a'.repeat(31)}`,
        `SK${'a'.repeat(32)}`,
        `AC${'A'.repeat(32)}`,
        `xAC${'a'.repeat(32)}`,
        `AC${'a'.repeat(33)}`,
      ],
      'must be AC followed by 32 hex digits',
    ],
    ...(['accountId', 'siteId', 'locationId'] as const).map(
      (field): [ProviderName, string, string[], string[], string] => [
        'bandwidth',
        field,
        ['1', '5'.repeat(20)],
        ['', 'x1', '1x', '5'.repeat(21)],
        'must be digits, such as 5500000',
      ],
    ),
    [
      'bandwidth',
      'callbackPassword',
      ['x'.repeat(12), 'x'.repeat(500)],
      ['x'.repeat(11), 'x'.repeat(501)],
      'must be at least 12 characters',
    ],
    ...NAMES.flatMap((name) =>
      Object.keys(providerWithSetup(name).setup.urls).map(
        (field): [ProviderName, string, string[], string[], string] => [
          name,
          field,
          ['https://x.test', 'http://x.test/api'],
          ['https://x.test/', 'ftp://x.test', 'x'],
          'must be a URL without a trailing slash',
        ],
      ),
    ),
  ]
  for (const [name, field, good, bad, expects] of cases) {
    const { pattern, expects: text } = providerWithSetup(name).setup.fields.find(
      (one) => one.name === field,
    )!
    for (const value of good) assert.ok(pattern!.test(value), `${name} ${field} ${value}`)
    for (const value of bad) assert.ok(!pattern!.test(value), `${name} ${field} ${value}`)
    assert.equal(text, expects)
  }
})

test('only Telnyx registers brands and campaigns, and reports an empty account by a code', () => {
  const able = NAMES.filter((name) => providerWithSetup(name).setup.hasRegistration)
  assert.deepEqual(able, ['telnyx'])
  assert.deepEqual(
    NAMES.map((name) => providerWithSetup(name).setup.noFundsCodes),
    [['20100'], [], []],
  )
  assert.ok(accountOf('telnyx', { registration: { mock: false } }).registration)
  assert.equal(accountOf('telnyx').registration, undefined)
})

test('fields that only work together are refused alone', (t) => {
  const twilio = (more: object) => problemsOf(t, 'twilio', { ...shortest('twilio'), ...more })
  assert.deepEqual(twilio({ apiKey: 'SK1' }), ['apiKey needs apiSecret too.'])
  assert.deepEqual(twilio({ apiSecret: 'x' }), ['apiSecret needs apiKey too.'])
  assert.deepEqual(twilio({ apiKey: 'SK1', apiSecret: 'x' }), [])
  const bandwidth = (numbers: object) =>
    problemsOf(t, 'bandwidth', { ...shortest('bandwidth'), numbers })
  assert.deepEqual(bandwidth({ siteId: '1' }), ['numbers needs locationId.'])
  assert.deepEqual(bandwidth({ locationId: '1' }), ['numbers needs siteId.'])
  assert.deepEqual(providerWithSetup('twilio').setup.pair, ['apiKey', 'apiSecret'])
  assert.deepEqual(providerWithSetup('bandwidth').setup.pair, ['siteId', 'locationId'])
  assert.equal(providerWithSetup('telnyx').setup.pair, undefined)
})

test('keys and passwords of the wrong form are refused with what they must be', (t) => {
  const telnyx = (publicKey: string) =>
    problemsOf(t, 'telnyx', { ...shortest('telnyx'), publicKey })[0] ?? ''
  for (const key of [
    'x',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
  ]) {
    assert.match(telnyx(key), /^publicKey must be the public key of the account \(44 base64/)
  }
  const bandwidth = (callbackPassword: string) =>
    problemsOf(t, 'bandwidth', { ...shortest('bandwidth'), callbackPassword })
  assert.equal(bandwidth('x'.repeat(11)).length, 1)
  assert.deepEqual(bandwidth('x'.repeat(12)), [])
  const twilio = problemsOf(t, 'twilio', { ...shortest('twilio'), accountSid: 'AC1' })
  assert.match(twilio[0]!, /^accountSid must be AC followed by 32 hex digits/)
})

test('media limits are those of each provider', () => {
  const limits = Object.fromEntries(
    PROVIDERS.map(({ name, media }) => [name, [media.bytesMax, media.otherBytesMax]]),
  )
  assert.deepEqual(limits, {
    telnyx: [1_000_000, 1_000_000],
    bandwidth: [3_750_000, 3_750_000],
    twilio: [5_000_000, 500_000],
  })
})

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
