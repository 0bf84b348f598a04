// The fields of a brand as the service stores them, and the checks that need code: the schema sees one field
// at a time and cannot name the value that it refuses.

import { echo, type FieldProblem, fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { ACCEPTED_ENTITY_TYPE, type BrandFields, EIN_MISSING } from './brand.js'
import { wireNameOf } from './brand-wire.js'
import { isCountryCode } from './countries.js'
import { findStateCode } from './us-states.js'
import { isWebAddress, WEB_ADDRESS_EXPECTS } from './web-address.js'

export const NO_FIELDS: BrandFields = {
  entityType: ACCEPTED_ENTITY_TYPE,
  entityName: null,
  displayName: null,
  ein: null,
  websiteUrl: null,
  privacyLink: null,
  termsLink: null,
  vertical: null,
  street: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
}

/** The contract's order, in which problems are reported. */
const REQUIRED = [
  'entityType',
  'entityName',
  'ein',
  'websiteUrl',
  'street',
  'city',
  'state',
  'postalCode',
  'country',
  'firstName',
  'lastName',
  'email',
  'phone',
] as const satisfies readonly (keyof BrandFields)[]

/** Trims fields, adds the dash of the EIN, and uses codes for the country and the US state. */
export function normaliseFields(fields: BrandFields): BrandFields {
  const trimmed = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value?.trim() ?? null]),
  ) as unknown as BrandFields
  const country = trimmed.country?.toUpperCase() ?? null
  const state = trimmed.state
  return {
    ...trimmed,
    ein: trimmed.ein?.replace(/^(\d{2})-?(\d{7})$/, '$1-$2') ?? null,
    country,
    state: (country === 'US' && state !== null && findStateCode(state)) || state,
  }
}

/** Refuses fields that not even a draft may have. */
export function checkFields(fields: BrandFields): void {
  if (fields.entityType !== ACCEPTED_ENTITY_TYPE) {
    throw fieldRefusal(
      'entityType',
      `${echo(fields.entityType)} is not accepted. Use ${ACCEPTED_ENTITY_TYPE}`,
    )
  }
  for (const name of ['websiteUrl', 'privacyLink', 'termsLink'] as const) {
    const link = fields[name]
    if (link !== null && !isWebAddress(link)) {
      throw fieldRefusal(wireNameOf(name), WEB_ADDRESS_EXPECTS)
    }
  }
  if (fields.country !== null && !isCountryCode(fields.country)) {
    throw fieldRefusal(
      'country',
      `${fields.country} is not a country. Use a two-letter ISO 3166-1 code such as US`,
    )
  }
  if (fields.country === 'US' && fields.state !== null && !findStateCode(fields.state)) {
    throw fieldRefusal('state', 'must be a US state such as CA')
  }
}

/** Refuses a brand that cannot be submitted yet, with the text for the first missing field. */
export function checkComplete(fields: BrandFields): void {
  const missing = REQUIRED.filter((name) => fields[name] === null).map(wireNameOf)
  const [first] = missing
  if (first === undefined) return
  const details: FieldProblem[] = missing.map((field) => ({ field, problem: 'is required' }))
  const text = first === 'ein' ? EIN_MISSING : `${first} is required`
  throw new Refusal('field_invalid', text, details)
}
