// How fields of the API are named on pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldName, relabel } from './field-name'

test('a field is named as people say it', () => {
  const names = {
    consentFlow: 'Consent flow',
    sample1: 'Sample 1',
    displayName: 'Display name',
    ein: 'EIN',
    screenshotUrl: 'Screenshot URL',
    mediaUrls: 'Media URLs',
    'notes[2].field': 'Field',
    'address.postalCode': 'ZIP code',
    optinMessage: 'Opt-in reply',
  }
  for (const [field, name] of Object.entries(names)) assert.equal(fieldName(field), name)
})

test('a sentence about a field starts with its label, and others stay as they are', () => {
  assert.equal(relabel('consentFlow is required', 'consentFlow'), 'Consent flow is required')
  assert.equal(relabel('ein is required', 'ein', 'Tax ID'), 'Tax ID is required')
  assert.equal(relabel('Message body required', 'body'), 'Message body required')
  assert.equal(relabel('fromage is required', 'from'), 'fromage is required')
})
