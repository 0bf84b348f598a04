// What every link that registers brands and campaigns says of it, whoever the provider is.

import type { Vertical } from '../../brands/verticals.js'
import type { Registrar } from '../../campaigns/registration/registrar.js'

export interface RegistrationSettings {
  /** The name of the link. */
  link: string
  settleMs: number
  timeoutMs: number
  /** Where the provider calls when there is news. */
  callbackUrl: string
  vertical: Vertical | null
  /** On trial: brands that cost nothing, and reach no network. */
  isMock: boolean
}

/** A registrar with what it holds open. */
export interface OpenRegistrar {
  registrar: Registrar
  close: () => Promise<void>
}
