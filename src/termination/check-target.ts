// Checks the campaign that gets the numbers of one that ends: another ACTIVE campaign of the account, whose
// carrier links host all of them. Otherwise the customer would pay for numbers that cannot send.

import type { AccountId } from '../accounts/account.js'
import type { Campaign } from '../campaigns/campaign.js'
import { findCampaign } from '../campaigns/campaign-queries.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { listHostings } from '../numbers/hosting-queries.js'
import type { NumberSources } from '../numbers/number-source.js'
import { plural } from '../text/plural.js'
import type { TerminationRequest } from './termination.js'

export type CanSend = NumberSources['canSend']

export async function getTarget(
  db: Queryable,
  accountId: AccountId,
  { campaignId, moveNumbersTo }: TerminationRequest,
): Promise<Campaign> {
  const target = moveNumbersTo === null ? null : await findCampaign(db, accountId, moveNumbersTo)
  if (target && target.id !== campaignId) return target
  throw fieldRefusal('moveNumbersTo', 'must be the ID of another ACTIVE campaign of the account')
}

export async function checkTarget(
  db: Queryable,
  accountId: AccountId,
  request: TerminationRequest,
  canSend: CanSend,
): Promise<void> {
  const { id, status } = await getTarget(db, accountId, request)
  if (status !== 'ACTIVE') {
    throw new Refusal(
      'campaign_state',
      `Campaign ${id} is ${status}. Numbers can be moved only to an ACTIVE campaign`,
    )
  }
  const hostings = await listHostings(db, accountId, request.campaignId)
  const stranded = hostings.filter((hosting) => !canSend(hosting, id))
  if (stranded.length === 0) return
  const others = stranded.reduce((sum, { count }) => sum + count, -1)
  const more = others === 0 ? '' : ` and ${plural(others, 'other number')}`
  throw new Refusal(
    'number_not_carried',
    `No carrier link of campaign ${id} hosts ${stranded[0]!.example}${more}. Nothing was changed. Choose another campaign, or release these numbers first.`,
  )
}
