// The example brand in openapi.json: request and response.

import { PRINTED_NAME } from './brand-wire.js'

export const BRAND_BODY_EXAMPLE = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Acme Coffee LLC',
  displayName: 'Acme Coffee',
  ein: '12-3456789',
  website: 'https://acme.example',
  privacyLink: 'https://acme.example/privacy',
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

export const BRAND_EXAMPLE = {
  id: 'brd_01km3v9w8m0000pqv3t5x7z9bd',
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
  status: 'PENDING',
  entityType: 'PRIVATE_PROFIT',
  vetted: false,
  displayName: 'Acme Coffee',
  entityName: 'Acme Coffee LLC',
  ein: '12-3456789',
  website: 'https://acme.example',
  [PRINTED_NAME]: 'https://acme.example',
  privacyLink: 'https://acme.example/privacy',
  address: {
    street: '1 Market Street',
    city: 'San Francisco',
    state: 'CA',
    postalCode: '94105',
    country: 'US',
  },
  contact: {
    firstName: 'Ana',
    lastName: 'Ortiz',
    phone: '+14155550123',
    email: 'ana@acme.example',
  },
  reviewNotes: [],
}
