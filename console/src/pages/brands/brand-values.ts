// The brand form's fields: how they are read from a brand, written to the API, and what is wrong with them,
// in the API's own words.

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
  entityType: 'Kind of company',
  entityName: 'Legal name',
  ein: 'EIN',
  displayName: 'Display name',
  website: 'Web address',
  privacyLink: 'Privacy policy',
  termsLink: 'Terms and conditions',
  vertical: 'Industry',
  street: 'Street',
  city: 'City',
  state: 'State',
  postalCode: 'Postal code',
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
    // The legal name stands in where there is no other.
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

/** Not of the contract: named only where they say something. */
const EXTENSIONS = new Set(['termsLink', 'vertical'])

/** As the API takes it; what is blank is none. */
export function brandBody(values: BrandValues) {
  const given = { ...values, phone: values.phone && readPhone(values.phone) }
  const texts = Object.entries(given).filter(
    ([name, text]) => !EXTENSIONS.has(name) || text.trim() !== '',
  )
  return {
    entityType: 'PRIVATE_PROFIT',
    ...Object.fromEntries(texts.map(([name, text]) => [name, text.trim() || null])),
  } as CreateBrandBody
}

/** The industries that the carriers' registry knows, in words. */
const VERTICALS =
  'Agriculture|Communication|Construction|Education|Energy|Entertainment|Financial|Gambling|Government|Healthcare|Hospitality|Human resources|Insurance|Legal|Manufacturing|NGO|Political|Postal|Professional|Real estate|Retail|Technology|Transportation'

export const VERTICAL_OPTIONS = [
  { value: '', label: 'Choose' },
  ...VERTICALS.split('|').map((label) => ({
    value: label.toUpperCase().replace(' ', '_'),
    label,
  })),
]

/** 123456789 is shown as 12-3456789. */
export function tidyEin(text: string): string {
  return text.trim().replace(/^(\d{2})(\d{7})$/, '$1-$2')
}

/** People leave out what a browser does not show. */
export function tidyWebAddress(text: string): string {
  const address = text.trim()
  return /^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(address) ? `https://${address}` : address
}

export function tidyPhone(text: string): string {
  return formatPhone(readPhone(text)).replace('\u00a0', ' ')
}

const OPTIONAL = new Set(['displayName', 'privacyLink', 'termsLink', 'vertical'])
const WEB = /^https?:\/\/[^\s/?#\\]+([/?#]\S*)?$/i
const FORMS: Record<string, { is: RegExp; expects: string }> = {
  ein: { is: /^\d{2}-?\d{7}$/, expects: 'must be a string of nine digits such as 12-3456789' },
  website: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  privacyLink: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  termsLink: { is: WEB, expects: 'must be a web address such as https://www.example.com' },
  postalCode: { is: /^\d{5}$/, expects: 'must be a string of five digits such as 94105' },
  country: { is: /^[A-Za-z]{2}$/, expects: 'must be a two-letter country code such as US' },
  email: {
    is: /^[^\s@]{1,64}@([^\s@.]{1,63}\.){1,10}[^\s@.]{2,63}$/,
    expects: 'must be an email address such as ana@example.com',
  },
  phone: {
    is: /^\+1\d{10}$/,
    expects: 'must be a phone number in E.164 form such as +14155550123',
  },
}

/** `asked`: what is needed beyond the contract, where a provider registers brands. */
export function brandProblems(values: BrandValues, asked: readonly string[] = []): Problems {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = name === 'phone' && value ? readPhone(value) : value.trim()
    const form = FORMS[name]
    if (text === '') {
      if (!OPTIONAL.has(name) || asked.includes(name)) found[name] = missing(name)
    } else if (form && !form.is.test(text)) found[name] = `${name} ${form.expects}`
  }
  return found
}

/** What may not even be kept as a draft: a field may be missing, but not malformed. */
export function draftProblems(values: BrandValues): Problems {
  const all = Object.entries(brandProblems(values))
  return Object.fromEntries(all.filter(([name]) => values[name as keyof BrandValues].trim() !== ''))
}

function missing(name: string): string {
  return name === 'ein' ? 'EIN is required for brand' : `${name} is required`
}
