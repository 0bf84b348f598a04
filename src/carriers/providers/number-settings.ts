// What every link that rents numbers says of them, whoever the provider is.

import type { NumberSource } from '../../numbers/number-source.js'

export interface SourceSettings {
  /** The name of the link. */
  link: string
  monthlyPriceMicros: bigint
  settleMs: number
  /** By campaign of ours; others get one of their own at need. */
  profiles: ReadonlyMap<string, string>
  /** Where the provider calls for what phones write. */
  callbackUrl: string
}

/** A source with what it holds open. */
export interface OpenSource {
  source: NumberSource
  close: () => Promise<void>
}
