// Every provider that a link can use, one line each. The carriers file, the setup on the command line and in the
// console, and the API get their providers from here.

import { bandwidth } from './bandwidth/fields.js'
import type { ProviderModule } from './provider-module.js'
import type { ProviderSetup } from './provisioning.js'
import { telnyx } from './telnyx/fields.js'
import { twilio } from './twilio/fields.js'

export const PROVIDERS: readonly ProviderModule[] = [
  telnyx, // numbers, registration, setup
  bandwidth, // numbers, setup
  twilio, // numbers, setup
]

export type ProviderWithSetup = ProviderModule & { setup: ProviderSetup }

export const PROVIDERS_WITH_SETUP = PROVIDERS.filter(
  (one): one is ProviderWithSetup => one.setup !== undefined,
)

/** Throws for a name that is not in the list. */
export function providerWithSetup(name: string): ProviderWithSetup {
  const found = PROVIDERS_WITH_SETUP.find((one) => one.name === name)
  if (!found) throw new RangeError(`no provider ${name} that can be set up`)
  return found
}
