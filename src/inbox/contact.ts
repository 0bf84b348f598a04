// A contact: the name of a recipient, and fields that saved replies can use.

import { Type } from 'typebox'
import { Noun, RequiredText, Timestamp } from '../kit/contract/schema.js'
import { E164 } from '../text/number-schema.js'

const NAME_LENGTH_MAX = 100
const FIELDS_MAX = 20
const FIELD_NAME_LENGTH_MAX = 40 // also in the pattern
const FIELD_LENGTH_MAX = 500

export interface Contact {
  phoneNumber: string
  name: string
  fields: Record<string, string>
  updatedAt: Date
}

export const ContactName = RequiredText(NAME_LENGTH_MAX, { description: 'The name of the person' })

export const ContactFields = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'ContactFields',
  additionalProperties: { type: 'string', maxLength: FIELD_LENGTH_MAX },
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$' },
  maxProperties: FIELDS_MAX,
  description: `Up to ${FIELDS_MAX} texts, such as \`orderNumber\`. A saved reply uses one as {{orderNumber}}`,
  'x-expects': `must be an object with at most ${FIELDS_MAX} texts of at most ${FIELD_LENGTH_MAX} characters. Names have letters, digits, and underscores (at most ${FIELD_NAME_LENGTH_MAX})`,
})

export const ContactShape = Noun('Contact', {
  phoneNumber: E164(),
  name: Type.String(),
  fields: ContactFields,
  updatedAt: Timestamp,
})

export const CONTACT_EXAMPLE = {
  phoneNumber: '+14155550123',
  name: 'Ana Rivera',
  fields: { orderNumber: '1042' },
  updatedAt: '2026-11-15T12:00:00.000Z',
}

export function wireContact(contact: Contact) {
  return { ...contact, updatedAt: contact.updatedAt.toISOString() }
}
