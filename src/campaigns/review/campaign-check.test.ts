// What reviewers refuse: a campaign without problems, and one problem at a time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USECASES } from '../usecase.js'
import { checkCampaign } from './campaign-check.js'

const BRAND = {
  displayName: 'Acme Coffee',
  entityName: 'Acme Holdings, Inc.',
  privacyLink: 'https://acme.example/privacy',
}

const GOOD: Parameters<typeof checkCampaign>[0] = {
  usecase: 'MARKETING',
  subUsecases: [],
  description: 'Weekly offers of Acme Coffee to customers who joined its text list.',
  consentFlow: 'Customers tick a box on https://acme.example/texts that explains what we send.',
  screenshotUrl: null,
  samples: [
    'Acme Coffee: two for one on Friday. Reply STOP to opt out.',
    'ACME COFFEE, now 10% off this week at https://acme.example',
    null,
    null,
    null,
  ],
}

/** Every warning names a field, a problem, and a remedy. */
function problems(change: Partial<typeof GOOD>, brand: Partial<typeof BRAND> = {}): string[] {
  const warnings = checkCampaign({ ...GOOD, ...change }, { ...BRAND, ...brand })
  return warnings.map(({ field, problem, remedy }) => {
    assert.match(
      field,
      /^(description|consentFlow|screenshotUrl|privacyLink|brandId|usecase|sample\d)$/,
    )
    assert.ok(problem.length > 10)
    assert.match(remedy, /^[A-Z].*\.$/)
    return `${field} ${problem}`
  })
}

function withSamples(...samples: string[]): Partial<typeof GOOD> {
  return { samples: samples.map((text) => `Acme Coffee: ${text} Reply STOP to opt out.`) }
}

test('a good campaign gets no warnings', () => {
  assert.deepEqual(problems({}), [])
})

test('every warning names a field, a problem, and a remedy', () => {
  const nothing = {
    ...GOOD,
    usecase: '2FA' as const,
    description: null,
    consentFlow: null,
    samples: ['Sale! bit.ly/x', null, null, null, null],
  }
  assert.ok(problems(nothing, { privacyLink: null as never }).length >= 8)
})

test('too many use cases for the registry are reported before the fee is charged', () => {
  const mixed = (subUsecases: readonly (typeof USECASES)[number][]) =>
    problems({ usecase: 'MIXED', subUsecases: [...subUsecases] }).filter((text) =>
      /more than/.test(text),
    )
  assert.deepEqual(mixed(USECASES.slice(0, 5)), [])
  assert.deepEqual(mixed(USECASES.slice(0, 6)), [
    'usecase has more than five use cases. Registries accept two to five in a MIXED campaign',
  ])
})

test('thin descriptions and consent flows are reported', () => {
  assert.deepEqual(problems({ description: 'Offers' }), [
    'description is shorter than 40 characters, which reviewers consider vague',
  ])
  assert.deepEqual(problems({ consentFlow: 'They opt in.' }), [
    'consentFlow is shorter than 40 characters, which reviewers consider too short',
  ])
  assert.deepEqual(
    problems({ consentFlow: 'We only ever write to people whom we know very well.' }),
    ['consentFlow does not explain how people agree to receive texts'],
  )
})

test('consent on a web page needs the page’s address or a screenshot', () => {
  const consentFlow = 'Customers tick a box on the form of our website and agree to texts.'
  assert.deepEqual(problems({ consentFlow }), [
    'screenshotUrl is missing, and the consent flow has no link to the page where people agree',
  ])
  assert.deepEqual(problems({ consentFlow, screenshotUrl: 'https://acme.example/shot.png' }), [])
})

test('the brand or the consent flow needs a privacy policy', () => {
  const none = { privacyLink: null } as never
  assert.deepEqual(problems({}, none), [
    'consentFlow has no privacy policy, and the brand has no link to one',
  ])
  const consentFlow = `${GOOD.consentFlow} Privacy policy: https://acme.example/privacy`
  assert.deepEqual(problems({ consentFlow }, none), [])
})

test('two complete samples are required', () => {
  const [first] = GOOD.samples
  assert.deepEqual(problems({ samples: [null, null, null, null, null] }), [
    'sample1 is missing. Reviewers expect at least 2 samples',
  ])
  assert.deepEqual(problems({ samples: [first!, null, null, null, null] }), [
    'sample2 is missing. Reviewers expect at least 2 samples',
  ])
  assert.deepEqual(problems({ samples: [first!, 'Acme Coffee: hi'] }), [
    'sample2 is shorter than 20 characters',
  ])
})

test('samples must contain either name of the brand, as whole words', () => {
  const [first] = GOOD.samples
  const of = (text: string) => problems({ samples: [first!, text] })
  assert.deepEqual(of('Two for one on Friday, only here.'), ['sample2 does not name the brand'])
  assert.deepEqual(of('Hello from the acme-coffee team!'), [])
  assert.deepEqual(of('Acme Holdings sends you its regards.'), [])
  assert.deepEqual(of('Pacme Coffeehouse has two for one.'), ['sample2 does not name the brand'])
})

test('one sample must explain how to opt out, unless the campaign sends only codes', () => {
  const samples = ['Acme Coffee: the shop is open today.', 'Acme Coffee: the shop is closed today.']
  assert.deepEqual(problems({ samples }), [
    'sample1 does not explain how to opt out, and neither does any other sample',
  ])
  const codes = ['Acme Coffee: your code is 123456', 'Acme Coffee: your code is 654321']
  assert.deepEqual(problems({ samples: codes, usecase: '2FA' }), [])
  const mixed = { usecase: 'MIXED' as const, subUsecases: ['2FA' as const, 'MARKETING' as const] }
  assert.deepEqual(problems({ samples: codes, ...mixed }), [
    'sample1 does not explain how to opt out, and neither does any other sample',
  ])
})

test('shortened links are found, and similar addresses are not', () => {
  const of = (link: string) => problems(withSamples(`see ${link} today.`, 'second message.'))
  const found = (host: string) => [`sample1 has a link shortened by ${host}, which carriers block`]
  assert.deepEqual(of('https://bit.ly/3xYz'), found('bit.ly'))
  assert.deepEqual(of('BIT.LY/3xYz'), found('bit.ly'))
  assert.deepEqual(of('http://www.tinyurl.com/a'), found('tinyurl.com'))
  assert.deepEqual(of('t.co/a'), found('t.co'))
  for (const link of ['https://t.com/a', 'https://at.co', 'https://bit.ly.example', 'rabbit.ly']) {
    assert.deepEqual(of(link), [], link)
  }
})

test('use case and samples must match', () => {
  const offer = withSamples('20% off everything today.', 'the shop is open on Sunday.')
  assert.deepEqual(problems({ ...offer, usecase: 'CUSTOMER_CARE' }), [
    'sample1 reads like marketing, which is not one of the use cases',
  ])
  assert.deepEqual(problems({ ...offer, usecase: 'MARKETING' }), [])
  const code = withSamples('your verification code is 123456.', 'the shop is open on Sunday.')
  assert.deepEqual(problems({ ...code, usecase: 'MARKETING' }), [
    'sample1 contains a sign-in code, and 2FA is not one of the use cases',
  ])
  const dull = withSamples('the shop is open today.', 'the shop is open on Sunday.')
  for (const usecase of [
    '2FA',
    'DELIVERY_NOTIFICATION',
    'FRAUD_ALERT',
    'POLLING_VOTING',
    'SECURITY_ALERT',
  ] as const) {
    assert.deepEqual(problems({ ...dull, usecase }), [
      `usecase is ${usecase}, but no sample matches it`,
    ])
  }
  assert.deepEqual(problems({ ...dull, usecase: 'K12_EDUCATION' }), [])
})

test('content that carriers restrict is named', () => {
  assert.deepEqual(problems(withSamples('CBD gummies are back.', 'play at our casino.')), [
    'sample1 is about cannabis, which carriers restrict or refuse',
    'sample2 is about gambling, which carriers restrict or refuse',
  ])
})
