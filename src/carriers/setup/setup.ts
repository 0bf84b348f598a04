// The setup of a link to a provider: the input, the steps with their outcomes, and what is still missing. The command
// line and the operator API show the same.

import type { ProviderWithSetup } from '../providers/providers.js'

/** In order. */
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
  /** Same: nothing had to change. Planned: a dry run, so nothing was changed. */
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
  /** How to fix it. */
  remedy: string
}

/** A value and, if it came from the environment, its variable, which is then written to the file. */
interface FieldInput {
  value: string
  variable: string | null
}

export interface SetupRequest {
  provider: ProviderWithSetup
  /** The name of the link. */
  name: string
  fields: Readonly<Record<string, FieldInput>>
  /** The public URL of the service, or null if unknown. */
  publicUrl: string | null
  /** Our campaign that gets its own profile, application, or service. */
  campaign: string | null
  /** A number at the provider that is added to it. */
  number: string | null
  /** The monthly price in dollars at which the provider's numbers are sold. Null keeps the file's setting. */
  monthlyPrice: number | null
  /** Whether brands and campaigns are registered through the link. Null keeps the file's setting. */
  registration: { vertical: string | null; isMock: boolean } | null
  isDryRun: boolean
}

export interface SetupReport {
  link: string
  kind: string
  /** The callback URL, or null if the public URL is unknown. */
  callbackUrl: string | null
  steps: SetupStep[]
  missing: Lack[]
  /** The lines to paste if the file could not be written. Secrets are shown as variables. */
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
