// Registration through a provider, as brands and campaigns see it: whether there is one, and what it needs beyond the
// contract. What is done there, and when, is campaigns/registration/.

import type { AccountId } from '../accounts/account.js'
import { type FieldProblem, Refusal } from '../kit/contract/refusal.js'
import type { BrandFields } from './brand.js'
import { VERTICALS, type Vertical } from './verticals.js'

/** What a provider that registers asks of those who submit. */
export interface RegistrarTerms {
  link: string
  /** Of brands that name none; null: each names its own. */
  vertical: Vertical | null
}

/** Whether the settings name a provider that registers, at this moment. Null: the service decides by itself. */
export interface Registering {
  current: () => RegistrarTerms | null
}

/** `review`: it is there, and waits for a verdict. `registered`: looked at now and then. `end`: to be ended there. */
export type RegistrationState =
  | 'submit'
  | 'review'
  | 'registered'
  | 'suspended'
  | 'returned'
  | 'end'

export interface RegistrationKey {
  accountId: AccountId
  recordId: string
}

export interface Registration extends RegistrationKey {
  kind: 'brand' | 'campaign'
  link: string
  state: RegistrationState
  since: Date
  reference: string
  /** The provider's own; null: it may not be there yet. */
  providerId: string | null
  /** When it was last about to leave; null: it has not been. */
  postedAt: Date | null
  said: string | null
  /** Those that do not carry a registered campaign, and what they say; null: all do, or none has said anything. */
  networks: string | null
  attempts: number
  failingSince: Date | null
  lastError: string | null
  /** A lease while somebody works; null: nothing is to be done. */
  dueAt: Date | null
}

/** The networks that do not carry a campaign, each with its word. */
export function uncarriedOf(known: Pick<Registration, 'state' | 'networks'> | null): string[] {
  return known?.state === 'registered' ? (known.networks?.split(', ') ?? []) : []
}

/** What the console's forms ask for as well. */
export interface Asks {
  brand: string[]
  campaign: string[]
}

export function asksOf(terms: RegistrarTerms | null): Asks {
  if (terms === null) return { brand: [], campaign: [] }
  const vertical = terms.vertical === null ? ['vertical'] : []
  return { brand: [...vertical, 'privacyLink', 'termsLink'], campaign: ['sample1', 'sample2'] }
}

const GIVE: Readonly<Record<string, string>> = {
  vertical: `give the industry of the company, one of ${VERTICALS.join(', ')}`,
  privacyLink: 'give the web address of the privacy policy',
  termsLink: 'give the web address of the terms and conditions',
  sample1: 'give a message as you will send it',
  sample2: 'give a second message as you will send it',
}

/** Refuses what the provider would send back unread. Without one, the contract alone counts. */
export function checkAsked(missing: readonly string[]): void {
  const [first] = missing
  if (first === undefined) return
  const problemOf = (field: string) =>
    `is required where brands and campaigns are registered with the carriers: ${GIVE[field]}`
  const details: FieldProblem[] = missing.map((field) => ({ field, problem: problemOf(field) }))
  throw new Refusal('field_invalid', `${first} ${problemOf(first)}`, details)
}

export function checkBrandAsked(
  fields: Pick<BrandFields, 'vertical' | 'privacyLink' | 'termsLink'>,
  terms: RegistrarTerms | null,
): void {
  const asked = asksOf(terms).brand as (keyof typeof fields)[]
  checkAsked(asked.filter((name) => fields[name] === null))
}
