// What becomes of an outcome that nobody knows, as the link says, or as is safe where it says nothing.

import type { CarrierIdentity, QueryPort, UnknownPolicy } from '../carrier-port.js'

const USUAL: UnknownPolicy = { waitMs: 120_000, mayRepeat: false }
/** What never leaves may be sent again. */
const SIMULATED: UnknownPolicy = { waitMs: 1_000, mayRepeat: true }

/** Whether a message of a campaign with this use case may be sent again where no evidence comes. */
export function mayRepeat(policy: UnknownPolicy, usecase: string | undefined): boolean {
  const own = usecase === undefined ? undefined : policy.mayRepeatByUsecase?.[usecase]
  return own ?? policy.mayRepeat
}

export function policyOf(carrier: CarrierIdentity & QueryPort, link: string | null): UnknownPolicy {
  return carrier.afterUnknown?.(link) ?? (carrier.isSimulated ? SIMULATED : USUAL)
}
