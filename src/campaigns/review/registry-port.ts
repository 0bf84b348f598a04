// Who decides on brands and campaigns. The rooms know the moves (`reviewBrand`, `decideCampaign`); a
// registry knows when to make them. There are two: `simulated` (sandbox/registry.ts) decides by itself
// after a few seconds, `manual` (operator/reviews/manual-registry.ts) leaves the queue to operators.
//
// What is registered through a provider (campaigns/registration/) is left to that by both: it has a row of its own.
//
// A real registry, such as The Campaign Registry over its own API, fits as a third:
// - Its name joins LONGCODE_REGISTRY in kit/config.ts, and serve.ts makes it. Nothing else in the house
//   knows registries.
// - It brings two loops. One submits: it reads `listBrandsToReview` and `listCampaignsToReview` (these
//   wait until the brand is verified) and posts each record that has no case yet, with our id as the
//   caller's reference, so that a repeated post finds the first. One listens: it polls the cases, or
//   reads what a webhook of the registry has written down.
// - It keeps a table of its own: (account_id, id) to the registry's case, when it was posted, when to
//   look next. No row is locked while the registry is asked: post, then record, then decide.
// - A verdict becomes `reviewBrand` or `decideCampaign` in a transaction: verified, refused with a note
//   per field, vetted with a score, approved, returned. A verdict that comes twice, or after an operator
//   decided, is refused there (`brand_state`, `campaign_state`): that is no fault and changes nothing.
// - What the registry does not answer is asked again: the record stays PENDING, and operators see it
//   in their queue, where they may decide in its place.

import type { Config } from '../../kit/config.js'
import type { Loop } from '../../kit/worker-loop.js'

export interface Registry {
  name: Config['registry']
  /** Run under the role `schedule`, on any number of nodes at once. */
  loops: readonly Loop[]
}
