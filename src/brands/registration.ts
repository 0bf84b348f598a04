// Registration through a provider, as brands and campaigns see it: whether there is one, and what it needs
// beyond the contract. campaigns/registration/ does the work.

import type { AccountId } from '../accounts/account.js'
import { type FieldProblem, Refusal } from '../kit/contract/refusal.js'
import type { BrandFields } from './brand.js'
import { VERTICALS, type Vertical } from './verticals.js'

/** What a registering provider requires of submissions. */
export interface RegistrarTerms {
  link: string
  /** The default for brands without one; null: each brand must have its own. */
  vertical: Vertical | null
}

/** Whether the settings currently have a registering provider. Null: the service decides itself. */
export interface Registering {
  current: () => RegistrarTerms | null
}

/**
 * `review`: submitted, waiting for a decision. `registered`: checked now and then. `end`: to be ended at the
 * provider.
 */
export const REGISTRATION_STATES = [
  'submit',
  'review',
  'registered',
  'suspended',
  'returned',
  'end',
] as const
export type RegistrationState = (typeof REGISTRATION_STATES)[number]

export const REGISTRATION_KINDS = ['brand', 'campaign'] as const

export interface RegistrationKey {
  accountId: AccountId
  recordId: string
}

export interface Registration extends RegistrationKey {
  kind: (typeof REGISTRATION_KINDS)[number]
  link: string
  state: RegistrationState
  since: Date
  reference: string
  /** The provider's ID; null: it may not exist there yet. */
  providerId: string | null
  /** When it was last about to be submitted; null: never. */
  postedAt: Date | null
  notesDigest: string | null
  /**
   * The networks that do not carry a registered campaign, with their reasons; null: all do, or none has
   * reported.
   */
  networks: string | null
  attempts: number
  failingSince: Date | null
  lastError: string | null
  /** A lease while a process works on it; null: nothing to do. */
  dueAt: Date | null
}

/** The networks that do not carry a campaign, each with its reason. */
export function uncarriedOf(
  registration: Pick<Registration, 'state' | 'networks'> | null,
): string[] {
  return registration?.state === 'registered' ? (registration.networks?.split(', ') ?? []) : []
}

/** The additional fields of the console's forms. */
export interface Asks {
  brand: string[]
  campaign: string[]
}

export function requirementsOf(terms: RegistrarTerms | null): Asks {
  if (terms === null) return { brand: [], campaign: [] }
  const vertical = terms.vertical === null ? ['vertical'] : []
  return { brand: [...vertical, 'privacyLink', 'termsLink'], campaign: ['sample1', 'sample2'] }
}

const GIVE: Readonly<Record<string, string>> = {
  vertical: `the industry of the company, one of ${VERTICALS.join(', ')}`,
  privacyLink: 'the web address of the privacy policy',
  termsLink: 'the web address of the terms and conditions',
  sample1: 'a message as you will send it',
  sample2: 'a second message as you will send it',
}

/** Refuses what the provider would reject unread. Without a provider, only the contract applies. */
export function refuseMissing(missing: readonly string[]): void {
  const [first] = missing
  if (first === undefined) return
  const problemOf = (field: string) => `is required to register with the carriers: ${GIVE[field]}`
  const details: FieldProblem[] = missing.map((field) => ({ field, problem: problemOf(field) }))
  throw new Refusal('field_invalid', `${first} ${problemOf(first)}`, details)
}

export function checkBrandForRegistrar(
  fields: Pick<BrandFields, 'vertical' | 'privacyLink' | 'termsLink'>,
  terms: RegistrarTerms | null,
): void {
  const fieldNames = requirementsOf(terms).brand as (keyof typeof fields)[]
  refuseMissing(fieldNames.filter((name) => fields[name] === null))
}
