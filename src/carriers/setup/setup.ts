// Setting up a link to a provider: the input, the steps with their outcome, and what is still missing. The
// command line and the operator's API show the same.

import type { ProviderWithSetup } from '../providers/providers.js'

/** In the order in which they are gone. */
export const STEPS = [
  'key',
  'callbacks',
  'container',
  'numbers',
  'file',
  'check',
  'reload',
  'test',
  'receipt',
] as const
export type StepName = (typeof STEPS)[number]

export const STEP_STATES = ['done', 'same', 'planned', 'skipped', 'failed'] as const

export interface SetupStep {
  step: StepName
  /** Same: it was so before. Planned: it would be done, were it not only looked at. */
  state: (typeof STEP_STATES)[number]
  text: string
}

export const LACKS = [
  'public_url',
  'money',
  'trial',
  'number',
  'campaign',
  'location',
  'file',
  'route',
  'setting',
  'receipt',
] as const

export interface Lack {
  what: (typeof LACKS)[number]
  text: string
  /** What to do about it. */
  remedy: string
}

/** A value, and the variable of the environment that it came from: then the file names that. */
interface Given {
  value: string
  variable: string | null
}

export interface SetupRequest {
  provider: ProviderWithSetup
  /** Of the link. */
  name: string
  fields: Readonly<Record<string, Given>>
  /** Where providers reach the service. Null: not known. */
  publicUrl: string | null
  /** Our campaign that gets its own profile, application, or service. */
  campaign: string | null
  /** A number there that is put into it. */
  number: string | null
  /** Dollars a month for which numbers of the provider are sold. Null: as it is in the file. */
  monthlyPrice: number | null
  /** Brands and campaigns are registered through the link. Null: as it is in the file. */
  registration: { vertical: string | null; isMock: boolean } | null
  isDryRun: boolean
}

export interface SetupReport {
  link: string
  kind: string
  /** Where the provider calls; null where the public address is not known. */
  callbackUrl: string | null
  steps: SetupStep[]
  missing: Lack[]
  /** What to paste, where the file could not be written. Secrets are named, not shown. */
  yaml: string | null
}

/** The request cannot start: a sentence that names the field and the fix. */
export class SetupRefusal extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message)
  }
}
