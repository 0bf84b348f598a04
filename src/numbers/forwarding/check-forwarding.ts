// Checks a forwarding target before calls are sent there: a number and a campaign that accept a target, not too
// many changes in an hour, and the same evaluation that every call goes through again. Targets are checked one at a
// time across all accounts, so no two of them can close a loop at the same time.

import type { AccountId } from '../../accounts/account.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { HOUR_MS } from '../../kit/clock.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import type { ForwardingConfig } from '../../kit/settings/voice-config.js'
import {
  FAULT_TEXTS,
  type FindTarget,
  FORWARDINGS_MAX,
  forwardingFault,
} from '../../sip/forwarding/forwarding-policy.js'
import {
  countForwardingChange,
  findForwarding,
  findForwardingTarget,
  lockForwardings,
} from '../forwarding-queries.js'
import type { NumberRecord } from '../number.js'

/** Counted first, so the account's other changes wait for this one and see its target. */
export async function checkForwarding(
  tx: Transaction,
  number: NumberRecord,
  target: string,
  rules: ForwardingConfig,
  now: Date,
): Promise<void> {
  if (number.forwardingStoppedAt !== null) throw new Refusal('forwarding_stopped')
  await checkCampaign(tx, number)
  await countChange(tx, number.accountId, rules, now)
  await lockForwardings(tx)
  const find = await readChain(target, (next) => findForwardingTarget(tx, next))
  const fault = forwardingFault(number.phoneNumber, target, find, rules)
  if (fault !== null) throw fieldRefusal('forwardNumber', FAULT_TEXTS[fault])
}

/** A suspended campaign keeps its numbers unchanged (decision 0011), and they accept no new target. */
async function checkCampaign(tx: Transaction, { accountId, campaignId }: NumberRecord) {
  const { status } = await getCampaign(tx, accountId, campaignId)
  if (status !== 'SUSPENDED') return
  throw new Refusal(
    'campaign_state',
    'The campaign is SUSPENDED. Forwarding targets cannot be changed. You can still stop forwarding.',
  )
}

/** A refused change is rolled back and does not count. */
async function countChange(
  tx: Transaction,
  accountId: AccountId,
  { changesPerHour }: ForwardingConfig,
  now: Date,
): Promise<void> {
  const hourAgo = new Date(now.getTime() - HOUR_MS)
  const { beganAt, changes } = await countForwardingChange(tx, accountId, hourAgo, now)
  if (changesPerHour === 0 || changes <= changesPerHour) return
  const leftS = Math.ceil((beganAt.getTime() + HOUR_MS - now.getTime()) / 1000)
  const text = `The account has set ${changesPerHour} forwarding targets within an hour. Retry after the number of seconds in the Retry-After header. You can stop forwarding at any time`
  throw new Refusal('forwardings_too_many', text, undefined, Math.max(1, leftS))
}

export interface ForwardingChain {
  find: FindTarget
  /** Whether the number is not forwarded because its account is suspended. */
  isStopped: (number: string) => boolean
}

/** Where calls to a number now lead through numbers of the service, as far as the evaluation follows them. */
export async function readForwardingChain(db: Queryable, first: string): Promise<ForwardingChain> {
  const stopped = new Set<string>()
  const find = await readChain(first, async (number) => {
    const forwarding = await findForwarding(db, number)
    if (forwarding?.isStopped) stopped.add(number)
    return forwarding && (forwarding.isStopped ? null : forwarding.forwardNumber)
  })
  return { find, isStopped: (number) => stopped.has(number) }
}

async function readChain(
  first: string,
  findNext: (number: string) => Promise<string | null | undefined>,
): Promise<FindTarget> {
  const targets = new Map<string, string | null | undefined>()
  let next: string | null | undefined = first
  while (next && !targets.has(next) && targets.size <= FORWARDINGS_MAX) {
    const number: string = next
    next = await findNext(number)
    targets.set(number, next)
  }
  return (number) => targets.get(number)
}
