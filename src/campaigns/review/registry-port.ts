// Who decides on brands and campaigns. The modules know the moves (`reviewBrand`, `decideCampaign`), and a
// registry knows when to make them. There are two: `simulated` (sandbox/registry.ts) decides automatically
// after a few seconds, and `manual` (operator/reviews/manual-registry.ts) leaves the queue to operators.
//
// Both skip records that are registered through a provider (campaigns/registration/), which have a
// registrations row.
//
// A real registry, such as The Campaign Registry with its own API, can be added as a third:
// - Add its name to LONGCODE_REGISTRY in kit/config.ts, and create it in serve.ts. Nothing else knows
//   registries.
// - It has two loops. One submits: it reads `listBrandsToReview` and `listCampaignsToReview` (these
//   wait until the brand is verified) and posts each record that has no case yet, with our ID as the
//   reference, so a repeated post finds the first. The other one polls the cases, or reads the callbacks
//   of the registry that were stored.
// - It has its own table: (account_id, id) to the registry's case, when it was posted, and when to check
//   next. No row is locked during a request: post, then record, then decide.
// - A result becomes `reviewBrand` or `decideCampaign` in a transaction: verified, refused with a note
//   per field, vetted with a score, approved, returned. A result that comes twice, or after an operator
//   decided, is refused there (`brand_state`, `campaign_state`): that is harmless and changes nothing.
// - Without a response from the registry, it retries: the record stays PENDING, and operators see it
//   in their queue, where they may decide instead.

import type { Config } from '../../kit/config.js'
import type { Loop } from '../../kit/worker-loop.js'

export interface Registry {
  name: Config['registry']
  /** Run under the role `schedule`, on any number of nodes at once. */
  loops: readonly Loop[]
}
