// What becomes of an outcome that nobody knows, as the link says, or as is safe where it says nothing.

import type { Carrier, UnknownPolicy } from '../carrier-port.js'

const USUAL: UnknownPolicy = { waitMs: 120_000, mayRepeat: false }
/** What never leaves may be sent again. */
const SIMULATED: UnknownPolicy = { waitMs: 1_000, mayRepeat: true }

export function policyOf(carrier: Carrier, link: string | null): UnknownPolicy {
  return carrier.afterUnknown?.(link) ?? (carrier.isSimulated ? SIMULATED : USUAL)
}
