// The brand form's fields: reading them from a brand, writing them to the API, and validating them with the API's
// error texts.

import type { Brand, CreateBrandBody } from '../../../generated/types.gen'
import { formatPhone, readPhone } from '../../lib/format'
import type { Problems } from '../registry/use-form'

export interface BrandValues {
  entityName: string
  ein: string
  displayName: string
  website: string
  privacyLink: string
  termsLink: string
  vertical: string
  street: string
  city: string
  state: string
  postalCode: string
  country: string
  firstName: string
  lastName: string
  email: string
  phone: string
}

export const BLANK_BRAND: BrandValues = {
  entityName: '',
  ein: '',
  displayName: '',
  website: '',
  privacyLink: '',
  termsLink: '',
  vertical: '',
  street: '',
  city: '',
  state: '',
  postalCode: '',
  country: 'US',
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
}

export const BRAND_LABELS: Record<string, string> = {
  entityType: 'Company type',
  entityName: 'Legal name',
  ein: 'EIN',
  displayName: 'Display name',
  website: 'Website',
  privacyLink: 'Privacy policy URL',
  termsLink: 'Terms and conditions URL',
  vertical: 'Industry',
  street: 'Street',
  city: 'City',
  state: 'State',
  postalCode: 'ZIP code',
  country: 'Country',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
}

export function valuesOfBrand({ address, contact, ...brand }: Brand): BrandValues {
  const { entityName, displayName, ein, website } = brand
  const { privacyLink = '', termsLink = '', vertical = '' } = brand
  return {
    entityName,
    ein,
    // The legal name is the default display name.
    displayName: displayName === entityName ? '' : displayName,
    website,
    privacyLink,
    termsLink,
    vertical,
    ...address,
    country: address.country || 'US',
    ...contact,
    phone: formatPhone(contact.phone).replace('\u00a0', ' '),
  }
}

/** Fields beyond the contract, sent only if they have a value. */
const EXTENSIONS = new Set(['termsLink', 'vertical'])

/** As the API accepts it, without blank fields. */
export function brandBody(values: BrandValues) {
  const input = { ...values, phone: values.phone && readPhone(values.phone) }
  const texts = Object.entries(input).filter(
    ([name, text]) => !EXTENSIONS.has(name) || text.trim() !== '',
  )
  return {
    entityType: 'PRIVATE_PROFIT',
    ...Object.fromEntries(texts.map(([name, text]) => [name, text.trim() || null])),
  } as CreateBrandBody
}

/** The industries of the carriers' registry, as labels. */
const VERTICALS =
  'Agriculture|Communication|Construction|Education|Energy|Entertainment|Financial|Gambling|Government|Healthcare|Hospitality|Human resources|Insurance|Legal|Manufacturing|NGO|Political|Postal|Professional|Real estate|Retail|Technology|Transportation'

export const VERTICAL_OPTIONS = [
  { value: '', label: 'Choose an industry' },
  ...VERTICALS.split('|').map((label) => ({
    value: label.toUpperCase().replace(' ', '_'),
    label,
  })),
]

/** 123456789 is shown as 12-3456789. */
export function normalizeEin(text: string): string {
  return text.trim().replace(/^(\d{2})(\d{7})$/, '$1-$2')
}

/** Adds https://, which browsers hide and people leave out. */
export function normalizeWebAddress(text: string): string {
  const address = text.trim()
  return /^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(address) ? `https://${address}` : address
}

export function normalizePhone(text: string): string {
  return formatPhone(readPhone(text)).replace('\u00a0', ' ')
}

const OPTIONAL = new Set(['displayName', 'privacyLink', 'termsLink', 'vertical'])
const WEB = /^https?:\/\/[^\s/?#\\]+([/?#]\S*)?$/i
const FORMS: Record<string, { is: RegExp; expects: string }> = {
  ein: { is: /^\d{2}-?\d{7}$/, expects: 'must be nine digits such as 12-3456789' },
  website: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  privacyLink: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  termsLink: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  postalCode: { is: /^\d{5}$/, expects: 'must be five digits such as 94105' },
  country: { is: /^[A-Za-z]{2}$/, expects: 'must be a two-letter country code such as US' },
  email: {
    is: /^[^\s@]{1,64}@([^\s@.]{1,63}\.){1,10}[^\s@.]{2,63}$/,
    expects: 'must be an email address such as ana@example.com',
  },
  phone: {
    is: /^\+1\d{10}$/,
    expects: 'must be a US phone number such as (415) 555-0123',
  },
}

/** `asked`: fields that a registration provider requires beyond the contract. */
export function brandProblems(values: BrandValues, required: readonly string[] = []): Problems {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = name === 'phone' && value ? readPhone(value) : value.trim()
    const form = FORMS[name]
    if (text === '') {
      if (!OPTIONAL.has(name) || required.includes(name))
        found[name] = `${BRAND_LABELS[name]} is required`
    } else if (form && !form.is.test(text)) found[name] = `${BRAND_LABELS[name]} ${form.expects}`
  }
  return found
}

/** Problems that prevent even saving a draft: a field can be missing, but not malformed. */
export function draftProblems(values: BrandValues): Problems {
  const all = Object.entries(brandProblems(values))
  return Object.fromEntries(all.filter(([name]) => values[name as keyof BrandValues].trim() !== ''))
}
