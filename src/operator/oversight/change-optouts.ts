// An operator adds or removes opt-outs of a customer's campaign, for example after a complaint by mail or a mistake. Each
// is recorded twice: in the history of the opt-out list and in the audit log.

import type { AccountId } from '../../accounts/account.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { getCampaignOfAnyone } from '../../campaigns/campaign-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { optIn, optOut } from '../../optouts/opt-out.js'
import type { Optout } from '../../optouts/optout.js'

export interface OptoutAct {
  campaignId: string
  recipient: string
  reason: string
}

/** Opting out twice changes nothing the second time, but is still recorded. */
export async function addOptout(
  tx: Transaction,
  actor: Actor,
  input: OptoutAct,
  now: Date,
): Promise<Optout> {
  const { accountId } = await getCampaignOfAnyone(tx, input.campaignId)
  const optout: Optout = {
    ...input,
    number: null,
    keyword: null,
    messageId: null,
    optedOutAt: now,
  }
  const isNew = await optOut(tx, accountId, optout, { source: 'operator', tokenId: actor.id })
  await keep(tx, actor, accountId, input, { from: !isNew, to: true }, now)
  return optout
}

export async function removeOptout(
  tx: Transaction,
  actor: Actor,
  input: OptoutAct,
  now: Date,
): Promise<void> {
  const { accountId } = await getCampaignOfAnyone(tx, input.campaignId)
  const isGone = await optIn(
    tx,
    accountId,
    { ...input, now },
    { source: 'operator', tokenId: actor.id },
  )
  if (!isGone) throw new Refusal('optout_missing')
  await keep(tx, actor, accountId, input, { from: true, to: false }, now)
}

async function keep(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  { campaignId, recipient, reason }: OptoutAct,
  isOptedOut: { from: boolean; to: boolean },
  now: Date,
): Promise<void> {
  await recordAct(
    tx,
    actor,
    {
      act: isOptedOut.to ? 'optout.add' : 'optout.remove',
      accountId,
      subject: campaignId,
      before: { recipient, isOptedOut: isOptedOut.from },
      after: { recipient, isOptedOut: isOptedOut.to, reason },
    },
    now,
  )
}
