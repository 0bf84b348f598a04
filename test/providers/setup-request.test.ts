// What a setup refuses before it contacts the provider: the field and the sentence.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { publicUrlProblem } from '../../src/carriers/setup/check-request.js'
import type { SetupRequest } from '../../src/carriers/setup/setup.js'
import type { ProviderName } from './provider-messages.js'
import {
  type Addition,
  CAMPAIGN,
  ONE,
  PUBLIC_KEY,
  refusalOf,
  SID,
  setupStage,
} from './setup-stage.js'

const NAME = 'name must be 1 to 40 lowercase letters, digits, - or _.'
const CAMPAIGN_ID = 'campaign must be cmp_ and 26 letters and digits.'
const NUMBER = 'number must be one of your numbers at the provider, such as +14155550123.'
const OTHERS =
  'registration is available only through telnyx. Register brands and campaigns at Twilio.'
const mock = { vertical: null, isMock: true }

/** The provider, what is wrong, and the refusal. */
const REFUSALS: readonly (readonly [ProviderName, Addition, field: string, text: string])[] = [
  ...['', 'Acme', 'a b', '-a', '_a', 'a'.repeat(41)].map(
    (name) => ['telnyx', { request: { name } }, 'name', NAME] as const,
  ),
  ...['cmp_1', `${CAMPAIGN}1`, `x${CAMPAIGN}`, CAMPAIGN.toUpperCase()].map(
    (campaign) => ['telnyx', { request: { campaign } }, 'campaign', CAMPAIGN_ID] as const,
  ),
  ...['4155550123', '+1415555', 'x'].map(
    (number) => ['telnyx', { request: { number } }, 'number', NUMBER] as const,
  ),
  ['twilio', { request: { registration: mock } }, 'registration', OTHERS],
  ['twilio', { fields: { apiKey: 'SK1' } }, 'apiKey', 'apiKey requires apiSecret.'],
  ['twilio', { fields: { apiSecret: 'x' } }, 'apiSecret', 'apiSecret requires apiKey.'],
  ['bandwidth', { fields: { siteId: '1' } }, 'siteId', 'siteId requires locationId.'],
  ['bandwidth', { fields: { locationId: '1' } }, 'locationId', 'locationId requires siteId.'],
  [
    'bandwidth',
    { request: { monthlyPrice: 1 } },
    'monthlyPrice',
    'monthlyPrice requires siteId and locationId, because Bandwidth orders numbers into them.',
  ],
  [
    'twilio',
    { fields: { accountSid: 'AC1' } },
    'accountSid',
    'accountSid must be AC followed by 32 hex digits.',
  ],
  [
    'telnyx',
    { fields: { url: 'https://x.test/' } },
    'url',
    'url must be a URL without a trailing slash.',
  ],
]

test('a request that cannot be right is refused, and the provider sees nothing of it', async (t) => {
  for (const [name, addition, field, text] of REFUSALS) {
    const { add, calls } = setupStage(t, name)
    assert.deepEqual(await refusalOf(add(addition)), [field, text])
    assert.deepEqual(calls, [])
  }
})

test('an unknown industry is refused with those that there are', async (t) => {
  const registration = { vertical: 'SPACE', isMock: false }
  const { add } = setupStage(t, 'telnyx')
  const [field, text] = await refusalOf(add({ request: { registration } }))
  assert.equal(field, 'vertical')
  assert.match(text, /^vertical must be one of AGRICULTURE, COMMUNICATION, .*[A-Z]\.$/)
})

test('each missing field is named with its question, unless the file has it', async (t) => {
  const questions: Record<ProviderName, readonly (readonly [string, string])[]> = {
    telnyx: [['apiKey', 'apiKey is required: API key (portal.telnyx.com, API Keys).']],
    bandwidth: [
      ['accountId', 'accountId is required: Account ID (the number in the dashboard URL).'],
      ['user', 'user is required: API user name.'],
      ['password', 'password is required: API user password.'],
    ],
    twilio: [
      ['accountSid', 'accountSid is required: Account SID (twilio.com, Account Info).'],
      ['authToken', 'authToken is required: Auth token (twilio.com, Account Info).'],
    ],
  }
  const values: Record<string, string> = {
    ...{ apiKey: 'KEY', accountId: '55', user: 'u', password: 'p', accountSid: SID },
    authToken: 'tok',
  }
  for (const [name, fields] of Object.entries(questions) as [
    ProviderName,
    (typeof questions)['telnyx'],
  ][]) {
    const given: Record<string, { value: string; variable: null }> = {}
    for (const [field, text] of fields) {
      const { add } = setupStage(t, name)
      assert.deepEqual(await refusalOf(add({ request: { fields: { ...given } } })), [field, text])
      given[field] = { value: values[field]!, variable: null }
    }
    const { add, file } = setupStage(t, name)
    const lines = fields.map(([field]) => `    ${field}: "${values[field]}"\n`)
    writeFileSync(file, `links:\n  - name: acme\n    kind: ${name}\n${lines.join('')}`)
    await add({ request: { fields: {}, isDryRun: true } })
    const empty = fields.map(([field]) => `    ${field}: ""\n`)
    writeFileSync(file, `links:\n  - name: acme\n    kind: ${name}\n${empty.join('')}`)
    assert.deepEqual(await refusalOf(add({ request: { fields: {} } })), fields[0])
  }
})

test('what is right at its bounds is accepted', async (t) => {
  const accepted: Partial<SetupRequest>[] = [
    ...['a', '0', 'a-b_c', 'a'.repeat(40)].map((name) => ({ name })),
    ...[{ campaign: CAMPAIGN }, { number: ONE }, { registration: mock }],
    { registration: { vertical: 'RETAIL', isMock: false } },
  ]
  for (const request of accepted) {
    await setupStage(t, 'telnyx').add({ request: { isDryRun: true, ...request } })
  }
  const place = { siteId: '1', locationId: '2' }
  await setupStage(t, 'bandwidth').add({ fields: place, request: { monthlyPrice: 1 } })
  await setupStage(t, 'twilio').add({ fields: { apiKey: 'SK1', apiSecret: 'x' } })
  await setupStage(t, 'twilio').add({ request: { monthlyPrice: 1 } })
  await setupStage(t, 'telnyx').add({ request: { monthlyPrice: 1 } })
})

test('a secret of the file is sent only to the address of the file', async (t) => {
  const { add, file } = setupStage(t, 'telnyx')
  const link = (url: string) =>
    writeFileSync(
      file,
      `links:\n  - name: acme\n    kind: telnyx\n${url}    apiKey: KEY\n    publicKey: ${PUBLIC_KEY}\n`,
    )
  const addAt = (url: string, more: object = {}) =>
    add({
      request: { isDryRun: true, fields: { url: { value: url, variable: null }, ...more } },
    })
  const differs: [string, string] = [
    'url',
    'url differs from the link in the file. Set apiKey as well.',
  ]
  link('')
  assert.deepEqual(await refusalOf(addAt('https://other.test')), differs)
  await addAt('https://api.telnyx.com')
  await addAt('https://other.test', { apiKey: { value: 'OTHER', variable: null } })
  link('    url: https://own.test\n')
  await addAt('https://own.test')
  assert.deepEqual(await refusalOf(addAt('https://api.telnyx.com')), differs)

  const bandwidth = setupStage(t, 'bandwidth')
  const lines = 'accountId: "55"\n    user: u\n    callbackPassword: hush-hush-hush'
  writeFileSync(bandwidth.file, `links:\n  - name: acme\n    kind: bandwidth\n    ${lines}\n`)
  const [field, text] = await refusalOf(
    bandwidth.add({ fields: { dashboardUrl: 'https://other.test' } }),
  )
  assert.deepEqual([field, text.slice(-29)], ['dashboardUrl', 'Set callbackPassword as well.'])
})

test('a public URL is refused if no provider can reach it', () => {
  const problems: Record<string, string | null> = {
    'no url': 'is not a URL such as https://sms.example.com',
    'http://sms.example.com': 'is not https. Providers send callbacks only to https URLs',
    'https://localhost': 'is reachable only from this network',
    'https://10.0.0.1': 'is reachable only from this network',
    'https://sms.example.com?a=1': 'must not contain ? or #',
    'https://sms.example.com#a': 'must not contain ? or #',
    'https://sms.example.com': null,
    'https://sms.example.com/path': null,
  }
  for (const [url, problem] of Object.entries(problems))
    assert.equal(publicUrlProblem(url), problem)
})
