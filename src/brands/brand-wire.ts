// A brand as JSON. The only file that knows both wire names of the web address: the contract's `the service`
// and our `website` (decision 0008). Responses have both, and requests may use either.

import { type Static, type TString, Type } from 'typebox'
import { Noun, RequiredText, Timestamp } from '../kit/contract/schema.js'
import { E164 } from '../text/number-schema.js'
import { type Brand, type BrandFields, brandName, EIN_MISSING, ENTITY_TYPES } from './brand.js'
import { BRAND_STATUSES } from './brand-state.js'
import { VERTICALS, type Vertical } from './verticals.js'
import { WEB_ADDRESS_LENGTH_MAX, WebAddress } from './web-address.js'

export const PRINTED_NAME = 'the service'
const EXTENSION = 'Extension (not in the contract)'

const FIELDS = {
  entityName: RequiredText(255, {
    description: 'Registered legal name',
    'x-also': ['legalName', 'companyName', 'company', 'businessName'],
  }),
  displayName: RequiredText(255, {
    title: 'BrandDisplayName',
    description: 'Display or DBA name. Default: the legal name',
    'x-also': ['name', 'dba', 'brandName'],
  }),
  ein: RequiredText(20, {
    pattern: '^\\s*[0-9]{2}-?[0-9]{7}\\s*$',
    description: 'EIN of the legal entity. Must match its name',
    'x-missing': EIN_MISSING,
    'x-expects': 'must be a string of nine digits such as 12-3456789',
    'x-also': ['taxId', 'tin'],
  }),
  website: WebAddress({
    description: `Also accepted as \`${PRINTED_NAME}\``,
    'x-also': ['url', 'web', 'site', 'webAddress'],
  }),
  privacyLink: WebAddress({
    title: 'PrivacyLink',
    description: 'Privacy policy',
    'x-also': ['privacyPolicy', 'privacyUrl'],
  }),
  termsLink: WebAddress({
    title: 'TermsLink',
    description: 'Terms and conditions. Extension (not in the contract)',
    'x-also': ['terms', 'termsUrl'],
  }),
  street: RequiredText(255, {
    description: 'Must match the tax records',
    'x-also': ['address', 'addressLine1', 'street1'],
  }),
  city: RequiredText(100),
  state: RequiredText(100, {
    description: 'Two-letter code, or the name',
    'x-also': ['region', 'province'],
  }),
  postalCode: RequiredText(5, {
    pattern: '^[0-9]{5}$',
    'x-expects': 'must be a string of five digits such as 94105',
    'x-also': ['zip', 'zipCode', 'postcode'],
  }),
  country: RequiredText(2, {
    pattern: '^[A-Za-z]{2}$',
    'x-expects': 'must be a two-letter country code such as US',
  }),
  firstName: RequiredText(100),
  lastName: RequiredText(100),
  // Labels have no dots inside, so matching stays linear for texts of any length.
  email: RequiredText(254, {
    pattern: '^[^\\s@]{1,64}@(?:[^\\s@.]{1,63}\\.){1,10}[^\\s@.]{2,63}$',
    'x-expects': 'must be an email address such as ana@example.com',
  }),
  phone: E164({ minLength: 1, 'x-also': ['phoneNumber', 'telephone', 'mobile'] }),
}

const PrintedWebsite = Type.Optional(
  Type.String({
    title: 'PrintedWebsite',
    maxLength: WEB_ADDRESS_LENGTH_MAX,
    description: 'The contract’s name for `website`. One of the two is required',
  }),
)

const EntityTypeField = Type.Enum([...ENTITY_TYPES], {
  title: 'AcceptedEntityType',
  description: 'Only PRIVATE_PROFIT is accepted',
  'x-missing': 'entityType is required',
  'x-expects': 'must be PRIVATE_PROFIT, the only type that is accepted',
})

// Fields may be absent or null. Blank text becomes null before validation.
function optional(field: TString) {
  return Type.Optional(Type.Unsafe<string | null>({ ...field, type: ['string', 'null'] }))
}

const VerticalField = Type.Optional(
  Type.Unsafe<Vertical | null>({
    title: 'Vertical',
    type: ['string', 'null'],
    enum: [...VERTICALS, null],
    description:
      'Industry. Required if a provider registers brands. Extension (not in the contract)',
    'x-expects': `must be one of ${VERTICALS.join(', ')}`,
    'x-also': ['industry'],
  }),
)

/** The order of the properties is the order of the checks: the contract's. */
export const CreateBrandBody = Type.Object({
  entityType: EntityTypeField,
  entityName: FIELDS.entityName,
  displayName: optional(FIELDS.displayName),
  ein: FIELDS.ein,
  website: FIELDS.website,
  [PRINTED_NAME]: PrintedWebsite,
  privacyLink: optional(FIELDS.privacyLink),
  termsLink: optional(FIELDS.termsLink),
  vertical: VerticalField,
  street: FIELDS.street,
  city: FIELDS.city,
  state: FIELDS.state,
  postalCode: FIELDS.postalCode,
  country: FIELDS.country,
  firstName: FIELDS.firstName,
  lastName: FIELDS.lastName,
  email: FIELDS.email,
  phone: FIELDS.phone,
})

/** For drafts and changes: nothing is required, but fields that are present must be valid. */
export const PartialBrandBody = Noun('BrandFields', {
  entityType: Type.Optional(EntityTypeField),
  entityName: optional(FIELDS.entityName),
  displayName: optional(FIELDS.displayName),
  ein: optional(FIELDS.ein),
  website: optional(FIELDS.website),
  [PRINTED_NAME]: PrintedWebsite,
  privacyLink: optional(FIELDS.privacyLink),
  termsLink: optional(FIELDS.termsLink),
  vertical: VerticalField,
  street: optional(FIELDS.street),
  city: optional(FIELDS.city),
  state: optional(FIELDS.state),
  postalCode: optional(FIELDS.postalCode),
  country: optional(FIELDS.country),
  firstName: optional(FIELDS.firstName),
  lastName: optional(FIELDS.lastName),
  email: optional(FIELDS.email),
  phone: optional(FIELDS.phone),
})

export const ReviewNoteShape = Noun('ReviewNote', { field: Type.String(), note: Type.String() })

export const BrandShape = Noun('Brand', {
  id: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  status: Type.Enum([...BRAND_STATUSES]),
  entityType: Type.Enum([...ENTITY_TYPES]),
  vetted: Type.Boolean(),
  trustScore: Type.Optional(Type.Number({ description: '0 to 100; present when vetted' })),
  displayName: Type.String(),
  entityName: Type.String({ description: 'Empty, like other text fields, if a draft lacks it' }),
  ein: Type.String(),
  website: Type.String({ description: `The same as \`${PRINTED_NAME}\`` }),
  [PRINTED_NAME]: Type.String({ description: 'Web address' }),
  privacyLink: Type.Optional(Type.String()),
  termsLink: Type.Optional(Type.String({ description: EXTENSION })),
  vertical: Type.Optional(Type.String({ description: EXTENSION })),
  address: Noun('BrandAddress', {
    street: Type.String(),
    city: Type.String(),
    state: Type.String(),
    postalCode: Type.String(),
    country: Type.String(),
  }),
  contact: Noun('BrandContact', {
    firstName: Type.String(),
    lastName: Type.String(),
    phone: Type.String(),
    email: Type.String(),
  }),
  reviewNotes: Type.Array(ReviewNoteShape, {
    description: 'Why the brand is UNVERIFIED. Extension (not in the contract)',
  }),
})

/**
 * Merges the two names of the web address, and turns blank text into null, before validation. `website` wins
 * if both have a value.
 */
export function foldBrandBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { [PRINTED_NAME]: printed, ...folded } = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isBlank(value) ? null : value]),
  )
  if (printed !== undefined) folded.website ??= printed
  return folded
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

/** Fields that the body does not have are left out, so a change does not touch them. */
export function readBrandBody(body: Static<typeof PartialBrandBody>): Partial<BrandFields> {
  const { website, [PRINTED_NAME]: _, entityType, vertical, ...texts } = body
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
  const fields: Record<string, string | null> = {}
  for (const name of names) {
    if (name === 'website') {
      if (website !== undefined) fields.websiteUrl = website
    } else {
      const text = texts[name]
      if (text !== undefined) fields[name] = text
    }
  }
  return {
    ...(entityType && { entityType }),
    ...(vertical !== undefined && { vertical }),
    ...fields,
  }
}

/** The name that the client uses for a field. */
export function wireNameOf(field: keyof BrandFields): string {
  return field === 'websiteUrl' ? 'website' : field
}

export function wireBrand(brand: Brand): Static<typeof BrandShape> {
  const website = brand.websiteUrl ?? ''
  return {
    id: brand.id,
    createdAt: brand.createdAt.toISOString(),
    updatedAt: brand.updatedAt.toISOString(),
    status: brand.status,
    entityType: brand.entityType,
    vetted: brand.status === 'VETTED',
    ...(brand.trustScore !== null && { trustScore: brand.trustScore }),
    displayName: brandName(brand),
    entityName: brand.entityName ?? '',
    ein: brand.ein ?? '',
    website,
    [PRINTED_NAME]: website,
    ...(brand.privacyLink !== null && { privacyLink: brand.privacyLink }),
    ...(brand.termsLink !== null && { termsLink: brand.termsLink }),
    ...(brand.vertical !== null && { vertical: brand.vertical }),
    address: {
      street: brand.street ?? '',
      city: brand.city ?? '',
      state: brand.state ?? '',
      postalCode: brand.postalCode ?? '',
      country: brand.country ?? '',
    },
    contact: {
      firstName: brand.firstName ?? '',
      lastName: brand.lastName ?? '',
      phone: brand.phone ?? '',
      email: brand.email ?? '',
    },
    reviewNotes: brand.reviewNotes,
  }
}
