// Every field of brands and campaigns by Telnyx's names, the reasons that name no field, and what can be changed there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changesOf,
  failureNotes,
  type RegistrationKind,
  reasonNotes,
} from './registration-fields.js'

/** By Telnyx's name of a field: ours. */
const FIELDS: Record<RegistrationKind, Record<string, string>> = {
  brand: {
    ...{ companyName: 'entityName', legalName: 'entityName', taxId: 'ein', universalEin: 'ein' },
    ...{ entityType: 'entityType', entityName: 'entityName', displayName: 'displayName' },
    ...{ ein: 'ein', website: 'website', privacyLink: 'privacyLink', termsLink: 'termsLink' },
    ...{ vertical: 'vertical', street: 'street', city: 'city', state: 'state' },
    ...{ postalCode: 'postalCode', country: 'country', firstName: 'firstName' },
    ...{ lastName: 'lastName', email: 'email', phone: 'phone' },
  },
  campaign: {
    ...{ messageFlow: 'consentFlow', privacyPolicyLink: 'brandId' },
    ...{ termsAndConditionsLink: 'brandId', embeddedLinkSample: 'sample1' },
    ...{ embeddedLink: 'sample1', embeddedPhone: 'sample1', brandId: 'brandId' },
    ...{ usecase: 'usecase', subUsecases: 'subUsecases', description: 'description' },
    ...{ consentFlow: 'consentFlow', screenshotUrl: 'screenshotUrl' },
    ...{ sample1: 'sample1', sample2: 'sample2', sample3: 'sample3' },
    ...{ sample4: 'sample4', sample5: 'sample5', isLowVolume: 'isLowVolume' },
    ...{ optinKeywords: 'optinKeywords', optoutKeywords: 'optoutKeywords' },
    ...{ helpKeywords: 'helpKeywords', optinMessage: 'optinMessage' },
    ...{ optoutMessage: 'optoutMessage', helpMessage: 'helpMessage' },
  },
}

/** Without a named field: what the text is about. */
const TEXTS: Record<RegistrationKind, Record<string, string>> = {
  brand: {
    'The EIN is unknown': 'ein',
    'No such tax ID': 'ein',
    'Tax records differ': 'ein',
    'The web site is down': 'website',
    'The website is down': 'website',
    'This URL is down': 'website',
    'E-mail bounced': 'email',
    'Email bounced': 'email',
    'The phone is silent': 'phone',
    'The address is a mailbox': 'street',
    'No such street': 'street',
    'Wrong postal code': 'postalCode',
    'Wrong ZIP': 'postalCode',
    'Wrong vertical': 'vertical',
    'Wrong industry': 'vertical',
    'Anything else': 'entityName',
  },
  campaign: {
    'Sample message #3 has no name': 'sample3',
    'sample5 has no name': 'sample5',
    'The samples have no name': 'sample1',
    'No privacy policy': 'brandId',
    'The terms are missing': 'brandId',
    'The message flow is vague': 'consentFlow',
    'Opt-in is vague': 'consentFlow',
    'Optin is vague': 'consentFlow',
    'No consent': 'consentFlow',
    'No call to action': 'consentFlow',
    'No CTA': 'consentFlow',
    'The HELP reply is empty': 'helpMessage',
    'The opt-out reply is empty': 'optoutMessage',
    'STOP is not answered': 'optoutMessage',
    'Wrong use case': 'usecase',
    'Wrong usecase': 'usecase',
    'An embedded number': 'sample1',
    'A shortened link': 'sample1',
    'A short URL': 'sample1',
    'Links are forbidden': 'sample1',
    'Anything else': 'description',
  },
}

const KINDS = ['brand', 'campaign'] as const

test('a reason that names a field of Telnyx is attached to ours, whatever its text', () => {
  for (const kind of KINDS) {
    for (const [theirs, field] of Object.entries(FIELDS[kind])) {
      const expected = [{ field, note: 'The terms and the tax' }]
      const text = 'The terms and the tax'
      assert.deepEqual(reasonNotes(kind, { field: theirs, description: text }), expected, theirs)
      assert.deepEqual(reasonNotes(kind, [{ fields: [theirs], reason: text }]), expected, theirs)
      const source = { pointer: `/body/${theirs}` }
      assert.deepEqual(failureNotes(kind, { errors: [{ source, detail: text }] }), expected, theirs)
      const detail = [{ loc: ['body', theirs], msg: text }]
      assert.deepEqual(failureNotes(kind, { detail }), expected, theirs)
    }
  }
})

test('a reason without a field, or with an unknown one, is attached by its text', () => {
  for (const kind of KINDS) {
    for (const [text, field] of Object.entries(TEXTS[kind])) {
      const expected = [{ field, note: text }]
      assert.deepEqual(reasonNotes(kind, ` ${text} `), expected, text)
      assert.deepEqual(reasonNotes(kind, { field: 'other', description: text }), expected, text)
      assert.deepEqual(failureNotes(kind, { errors: [{ title: text }] }), expected, text)
    }
  }
  assert.deepEqual(reasonNotes('brand', { field: 'sample1', title: 'x' })[0]!.field, 'entityName')
  assert.deepEqual(reasonNotes('campaign', { field: 'ein', title: 'x' })[0]!.field, 'description')
})

test('a reason may have its text in any of these fields, and the first of them counts', () => {
  const names = ['description', 'detail', 'reason', 'message', 'title', 'displayName']
  for (const [i, name] of names.entries()) {
    const rest = Object.fromEntries(names.slice(i + 1).map((other) => [other, 'other']))
    assert.deepEqual(reasonNotes('campaign', { ...rest, [name]: 'This' }), [
      { field: 'description', note: 'This' },
    ])
  }
  const errors = [{ detail: 'The details', title: 'A title' }, { code: '1' }]
  assert.deepEqual(
    failureNotes('campaign', { errors }).map(({ note }) => note),
    ['The details'],
  )
  assert.deepEqual(failureNotes('campaign', { detail: [{ loc: ['sample1'] }, {}] }), [])
})

test('several fields get the reason, each once, and a long reason is cut', () => {
  const fields = ['ein', 'taxId', 'companyName', 'nothing', 7]
  const notes = reasonNotes('brand', { fields, field: 'phone', description: 'x'.repeat(501) })
  assert.deepEqual(
    notes.map(({ field, note }) => [field, note.length]),
    [
      ['ein', 500],
      ['entityName', 500],
      ['phone', 500],
    ],
  )
})

test('a text is read as JSON only if it is an object or a list', () => {
  const notesOf = (text: string) => reasonNotes('campaign', text).map(({ note }) => note)
  assert.deepEqual(notesOf('["One", " ", {"title": "Two"}, {"code": 3}]'), ['One', 'Two'])
  assert.deepEqual(notesOf('{"title": "Three"}'), ['Three'])
  for (const text of ['30', '"quoted"', 'true', '{cut']) assert.deepEqual(notesOf(text), [text])
  assert.deepEqual(notesOf('null'), [])
})

const CHANGEABLE = [
  'messageFlow',
  'helpMessage',
  'sample1',
  'sample2',
  'sample3',
  'sample4',
  'sample5',
]
const FIXED = [
  'brandId',
  'usecase',
  'description',
  'optinMessage',
  'optoutMessage',
  'optinKeywords',
]

test('a field that can be changed there is changed, and another needs a new submission', () => {
  for (const name of CHANGEABLE) {
    assert.deepEqual(changesOf({ [name]: 'new' }, { [name]: 'old' }), { [name]: 'new' })
    assert.deepEqual(changesOf({ [name]: 'new' }, {}), { [name]: 'new' }, 'missing there')
    assert.deepEqual(changesOf({ [name]: 'same' }, { [name]: 'same' }), {})
  }
  for (const name of FIXED) assert.equal(changesOf({ [name]: 'new' }, { [name]: 'old' }), null)
  for (const name of ['webhookURL', 'referenceId', 'termsAndConditions'])
    assert.deepEqual(changesOf({ [name]: 'new' }, { [name]: 'old' }), {}, 'not compared')
})

test('lists are the same in any order, and a flag that is not listed is the same', () => {
  const compare = (ours: unknown, theirs: unknown) => changesOf({ x: ours }, { x: theirs }) !== null
  assert.ok(compare(['A', 'B'], ['B', 'A']))
  assert.ok(!compare(['A', 'B'], ['A']))
  assert.ok(!compare(['A'], ['A', 'B']))
  assert.ok(!compare(['A', 'B'], ['A', 'C']))
  assert.ok(!compare(['A'], 'A'))
  assert.ok(compare([], undefined))
  for (const missing of [undefined, null]) {
    assert.ok(compare(true, missing))
    assert.ok(compare(false, missing))
    assert.ok(!compare('text', missing))
  }
  assert.ok(!compare(true, false))
})

test('a sample that only they have cannot be removed there', () => {
  assert.equal(changesOf({}, { sample2: 'Hello' }), null)
  assert.equal(changesOf({ sample1: 'a' }, { sample1: 'a', sample2: 'b', other: 'c' }), null)
  assert.deepEqual(changesOf({ sample1: 'a' }, { sample1: 'a', sample2: null, other: 'c' }), {})
})
