// How the fields of a brand are stored, and which are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrandFields } from './brand.js'
import { checkComplete, checkFields, NO_FIELDS, normaliseFields } from './brand-fields.js'
import { findStateCode } from './us-states.js'

const FULL: BrandFields = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Acme LLC',
  displayName: null,
  ein: '12-3456789',
  websiteUrl: 'https://acme.example',
  privacyLink: null,
  termsLink: null,
  vertical: null,
  street: '1 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postalCode: '94105',
  country: 'US',
  firstName: 'Ana',
  lastName: 'Ortiz',
  email: 'ana@acme.example',
  phone: '+14155550123',
}

test('an EIN is stored with its dash', () => {
  for (const ein of ['123456789', '12-3456789', ' 123456789 ']) {
    assert.equal(normaliseFields({ ...FULL, ein }).ein, '12-3456789')
  }
})

test('a US state is stored by its code, and another country’s state unchanged', () => {
  assert.equal(normaliseFields({ ...FULL, state: ' california ' }).state, 'CA')
  assert.equal(normaliseFields({ ...FULL, state: 'ny', country: 'us' }).state, 'NY')
  assert.equal(normaliseFields({ ...FULL, state: 'Ontario', country: 'CA' }).state, 'Ontario')
  assert.equal(findStateCode('constructor'), null)
})

test('text is trimmed, and absent fields stay absent', () => {
  const kept = normaliseFields({ ...FULL, entityName: '  Acme LLC ', country: 'us' })
  assert.deepEqual(kept, FULL)
  assert.deepEqual(normaliseFields(NO_FIELDS), NO_FIELDS)
})

test('an entity type other than PRIVATE_PROFIT is refused with its name', () => {
  assert.throws(() => checkFields({ ...FULL, entityType: 'NON_PROFIT' }), {
    code: 'field_invalid',
    message: 'entityType NON_PROFIT is not accepted. Use PRIVATE_PROFIT',
  })
})

test('a state that the US does not have is refused, but only for the US', () => {
  assert.throws(() => checkFields({ ...FULL, state: 'ZZ' }), {
    message: 'state must be a US state such as CA',
  })
  checkFields({ ...FULL, state: 'ZZ', country: 'CA' })
  checkFields({ ...FULL, state: 'PR' })
})

test('a country must be an ISO 3166-1 code', () => {
  for (const country of ['US', 'CA', 'GB', 'DE', 'PR', 'SS', 'AX']) {
    checkFields({ ...FULL, country, state: 'CA' })
  }
  for (const country of ['ZZ', 'UK', 'EU', 'XX', 'AN', 'YU']) {
    assert.throws(() => checkFields({ ...FULL, country }), {
      message: `country ${country} is not a country. Use a two-letter ISO 3166-1 code such as US`,
    })
  }
})

test('a malformed link is refused', () => {
  assert.throws(() => checkFields({ ...FULL, websiteUrl: 'https://acme.example:99999' }), {
    message: 'website must be a web address such as https://www.example.com',
  })
  assert.throws(() => checkFields({ ...FULL, privacyLink: 'https://[::1' }), {
    message: 'privacyLink must be a web address such as https://www.example.com',
  })
})

test("missing fields are reported in the contract's order", () => {
  checkComplete(FULL)
  assert.throws(() => checkComplete({ ...FULL, ein: null, phone: null }), {
    message: 'EIN is required for brand',
    details: [
      { field: 'ein', problem: 'is required' },
      { field: 'phone', problem: 'is required' },
    ],
  })
  assert.throws(() => checkComplete({ ...FULL, websiteUrl: null }), {
    message: 'website is required',
  })
  assert.throws(() => checkComplete(NO_FIELDS), { message: 'entityName is required' })
})
