// Every field of every provider's links: which are required, their defaults, and their checks. carriers.example.yaml says
// what is required, and what the defaults are. provider-fields-use.test.ts has what each field changes.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { PROVIDERS, providerWithSetup } from '../../src/carriers/providers/providers.js'
import { readCarriers } from '../../src/carriers/settings/read-carriers.js'
import { BadSettingsFile } from '../../src/kit/settings-file/settings-file.js'
import { temporaryFolder } from '../commands/run-command.js'
import { accountOf, LINK_FIELDS, type ProviderName } from './provider-messages.js'

const NAMES = ['telnyx', 'bandwidth', 'twilio'] as const
const CAMPAIGN = `cmp_${'1'.repeat(26)}`
const EXAMPLE = readFileSync('carriers.example.yaml', 'utf8')

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
