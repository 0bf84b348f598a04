// How to settle an unknown outcome: by the link's setting, or the safe default.

import type { CarrierIdentity, QueryPort, UnknownPolicy } from '../carrier-port.js'

const USUAL: UnknownPolicy = { waitMs: 120_000, mayRepeat: false }
/** A simulated message may be sent again. */
const SIMULATED: UnknownPolicy = { waitMs: 1_000, mayRepeat: true }

/** Whether a message of a campaign with this use case may be sent again without evidence. */
export function mayRepeat(policy: UnknownPolicy, usecase: string | undefined): boolean {
  const own = usecase === undefined ? undefined : policy.mayRepeatByUsecase?.[usecase]
  return own ?? policy.mayRepeat
}

export function policyOf(carrier: CarrierIdentity & QueryPort, link: string | null): UnknownPolicy {
  return carrier.afterUnknown?.(link) ?? (carrier.isSimulated ? SIMULATED : USUAL)
}
