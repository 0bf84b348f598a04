// Brands and campaigns as Telnyx names them, and Telnyx's reasons mapped to our fields. Pure.

import { type Brand, brandName, type ReviewNote } from '../../../brands/brand.js'
import type { Campaign } from '../../../campaigns/campaign.js'
import type { CampaignEntry } from '../../../campaigns/registration/registrar.js'
import { listAt, textAt } from '../read-answer.js'

interface BrandExtras {
  webhookURL: string
  /** If the brand names none. */
  vertical: string | null
  isMock: boolean
}

export function brandFields(brand: Brand, { webhookURL, vertical, isMock }: BrandExtras) {
  return {
    entityType: brand.entityType,
    displayName: brandName(brand),
    companyName: brand.entityName,
    ein: brand.ein?.replace('-', ''),
    phone: brand.phone,
    email: brand.email,
    street: brand.street,
    city: brand.city,
    state: brand.state,
    postalCode: brand.postalCode,
    country: brand.country,
    firstName: brand.firstName,
    lastName: brand.lastName,
    website: brand.websiteUrl,
    vertical: brand.vertical ?? vertical,
    webhookURL,
    ...(isMock && { mock: true }),
  }
}

const LINK = /https?:\/\/|\bwww\.|[a-z0-9]\.(?:com|net|org|io|co|us|example)\/\S/i
const PHONE = /(?:\+?1[ .-]?)?\(?\b[2-9]\d{2}\)?[ .-]?\d{3}[ .-]?\d{4}\b/

/** Fields that can be changed there after the campaign exists. */
const CHANGEABLE: ReadonlySet<string> = new Set([
  ...['messageFlow', 'helpMessage', 'sample1', 'sample2', 'sample3', 'sample4', 'sample5'],
])

export function campaignFields(
  { campaign, brand, brandThere, reference }: CampaignEntry,
  webhookURL: string,
) {
  const samples = campaign.samples.filter((sample) => sample !== null)
  return {
    brandId: brandThere,
    ...usecaseFields(campaign),
    description: campaign.description,
    messageFlow: flowOf(campaign),
    ...Object.fromEntries(samples.map((sample, i) => [`sample${i + 1}`, sample])),
    optinKeywords: campaign.optinKeywords.join(','),
    optoutKeywords: campaign.optoutKeywords.join(','),
    helpKeywords: campaign.helpKeywords.join(','),
    optinMessage: campaign.optinMessage,
    optoutMessage: campaign.optoutMessage,
    helpMessage: campaign.helpMessage,
    embeddedLink: samples.some((sample) => LINK.test(sample)),
    embeddedPhone: samples.some((sample) => PHONE.test(sample)),
    subscriberOptin: true,
    subscriberOptout: true,
    subscriberHelp: true,
    numberPool: false,
    ageGated: false,
    directLending: false,
    termsAndConditions: true,
    autoRenewal: true,
    ...(brand.privacyLink !== null && { privacyPolicyLink: brand.privacyLink }),
    ...(brand.termsLink !== null && { termsAndConditionsLink: brand.termsLink }),
    referenceId: reference,
    webhookURL,
  }
}

/** A screenshot is sent as its URL, because there is no other field for it. */
function flowOf({ consentFlow, screenshotUrl }: Campaign): string {
  return [consentFlow, screenshotUrl && `Screenshot: ${screenshotUrl}`].filter(Boolean).join(' ')
}

/** Low volume is a use case at the registry, with the actual ones below it. */
function usecaseFields({ usecase, subUsecases, isLowVolume }: Campaign) {
  if (usecase === null) return {}
  if (isLowVolume) {
    return {
      usecase: 'LOW_VOLUME',
      subUsecases: usecase === 'MIXED' ? subUsecases : [usecase],
    }
  }
  return { usecase, subUsecases }
}

/** The changes to make there. Null if it cannot be changed and the campaign must be submitted again. */
export function changesOf(
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const changes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(ours)) {
    if (NOT_COMPARED.has(name) || isSame(value, theirs[name])) continue
    if (!CHANGEABLE.has(name)) return null
    changes[name] = value
  }
  const isGone = (name: string) => name.startsWith('sample') && theirs[name] && !ours[name]
  return Object.keys(theirs).some(isGone) ? null : changes
}

const NOT_COMPARED = new Set(['webhookURL', 'referenceId', 'termsAndConditions'])

function isSame(ours: unknown, theirs: unknown): boolean {
  if (Array.isArray(ours)) {
    const others: readonly unknown[] = Array.isArray(theirs) ? theirs : []
    return ours.length === others.length && ours.every((one) => others.includes(one))
  }
  // A network that is not listed has not refused.
  if (theirs === undefined || theirs === null) return typeof ours === 'boolean'
  return ours === theirs
}

/** Their field names, mapped to ours. */
const BRAND_NAMES: Readonly<Record<string, string>> = {
  companyName: 'entityName',
  legalName: 'entityName',
  taxId: 'ein',
  universalEin: 'ein',
}
const OWN_BRAND_NAMES = new Set([
  ...['entityType', 'entityName', 'displayName', 'ein', 'website', 'privacyLink', 'termsLink'],
  ...['vertical', 'street', 'city', 'state', 'postalCode', 'country'],
  ...['firstName', 'lastName', 'email', 'phone'],
])
const CAMPAIGN_NAMES: Readonly<Record<string, string>> = {
  messageFlow: 'consentFlow',
  privacyPolicyLink: 'brandId',
  termsAndConditionsLink: 'brandId',
  embeddedLinkSample: 'sample1',
  embeddedLink: 'sample1',
  embeddedPhone: 'sample1',
}
const OWN_CAMPAIGN_NAMES = new Set([
  ...['brandId', 'usecase', 'subUsecases', 'description', 'consentFlow', 'screenshotUrl'],
  ...['sample1', 'sample2', 'sample3', 'sample4', 'sample5', 'isLowVolume'],
  ...['optinKeywords', 'optoutKeywords', 'helpKeywords'],
  ...['optinMessage', 'optoutMessage', 'helpMessage'],
])

/** If no field is named, the text often implies one. The first match counts. */
const BRAND_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:ein|tax.?id|tax)\b/i, 'ein'],
  [/web ?site|\burl\b/i, 'website'],
  [/e-?mail/i, 'email'],
  [/phone/i, 'phone'],
  [/address|street/i, 'street'],
  [/postal|zip/i, 'postalCode'],
  [/vertical|industry/i, 'vertical'],
]
const CAMPAIGN_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/sample ?(?:message ?)?#?([1-5])/i, 'sample$1'],
  [/sample/i, 'sample1'],
  [/privacy|terms/i, 'brandId'],
  [/message ?flow|opt-?in|consent|call.to.action|\bcta\b/i, 'consentFlow'],
  [/\bhelp\b/i, 'helpMessage'],
  [/opt-?out|\bstop\b/i, 'optoutMessage'],
  [/use ?case/i, 'usecase'],
  [/embedded|short(?:ened)? (?:link|url)|\blinks?\b|\burl\b/i, 'sample1'],
]

export type RegistrationKind = 'brand' | 'campaign'

function fieldNamed(kind: RegistrationKind, name: string): string | null {
  const names = kind === 'brand' ? BRAND_NAMES : CAMPAIGN_NAMES
  const ours = names[name] ?? name
  return (kind === 'brand' ? OWN_BRAND_NAMES : OWN_CAMPAIGN_NAMES).has(ours) ? ours : null
}

function fieldMeant(kind: RegistrationKind, text: string): string {
  for (const [pattern, field] of kind === 'brand' ? BRAND_PATTERNS : CAMPAIGN_PATTERNS) {
    const found = pattern.exec(text)
    if (found) return field.replace('$1', found[1] ?? '1')
  }
  return kind === 'brand' ? 'entityName' : 'description'
}

const NOTE_CHARS_MAX = 500

function notesAt(kind: RegistrationKind, fields: readonly unknown[], text: string): ReviewNote[] {
  const matches = fields.flatMap((one) => (typeof one === 'string' ? fieldNamed(kind, one) : []))
  const own = matches.filter((field) => field !== null)
  const note = text.slice(0, NOTE_CHARS_MAX)
  return (own.length > 0 ? [...new Set(own)] : [fieldMeant(kind, text)]).map((field) => ({
    field,
    note,
  }))
}

/** Reasons in any of their formats: a text, a JSON text, or a list of either, with or without field names. */
export function reasonNotes(kind: RegistrationKind, raw: unknown): ReviewNote[] {
  const reasons = typeof raw === 'string' ? parsed(raw) : raw
  const list = Array.isArray(reasons) ? reasons : [reasons]
  return list.flatMap((one) => {
    if (typeof one === 'string') return one.trim() === '' ? [] : notesAt(kind, [], one.trim())
    const textFields = ['description', 'detail', 'reason', 'message', 'title', 'displayName']
    const text = textFields.map((word) => textAt(one, word)).find((word) => word !== null)
    const field = textAt(one, 'field')
    return text ? notesAt(kind, [...listAt(one, 'fields'), field], text) : []
  })
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : text
  } catch {
    return text
  }
}

/**
 * A failed request, in the API's general format or in that of field validation (`detail`, with the location of
 * each).
 */
export function failureNotes(kind: RegistrationKind, body: unknown): ReviewNote[] {
  const errors = listAt(body, 'errors').flatMap((one) => {
    const pointer = textAt(one, 'source', 'pointer')?.split('/').at(-1) ?? null
    const text = textAt(one, 'detail') ?? textAt(one, 'title')
    return text === null ? [] : notesAt(kind, [pointer], text)
  })
  const details = listAt(body, 'detail').flatMap((one) => {
    const text = textAt(one, 'msg')
    return text === null ? [] : notesAt(kind, listAt(one, 'loc'), text)
  })
  return [...errors, ...details]
}
