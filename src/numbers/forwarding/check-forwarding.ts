// What a target must pass before calls are sent there: not too many set in an hour, and the judgement that
// every call is put to again. Loops between accounts that two set in the same moment are left to the latter.

import type { AccountId } from '../../accounts/account.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import type { ForwardingConfig } from '../../kit/settings/voice-config.js'
import {
  FAULT_TEXTS,
  type FindTarget,
  FORWARDINGS_MAX,
  forwardingFault,
} from '../../sip/forwarding/judge-forwarding.js'
import { countForwardingChange, findForwarding } from '../forwarding-queries.js'

const HOUR_MS = 60 * 60 * 1000

/** Counted first: the account's other changes wait for this one, and see what it sets. */
export async function checkForwarding(
  tx: Transaction,
  { accountId, phoneNumber }: { accountId: AccountId; phoneNumber: string },
  target: string,
  rules: ForwardingConfig,
  now: Date,
): Promise<void> {
  await countChange(tx, accountId, rules, now)
  const fault = forwardingFault(phoneNumber, target, await readForwardingChain(tx, target), rules)
  if (fault !== null) throw fieldRefusal('forwardNumber', FAULT_TEXTS[fault])
}

/** A change that is refused is rolled back, and has not counted. */
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
  const text = `The account has set ${changesPerHour} forwardings within an hour: wait as Retry-After says (null still stops a forwarding)`
  throw new Refusal('forwardings_too_many', text, undefined, Math.max(1, leftS))
}

/** Where a number leads through numbers of the service: as far as the judgement of it goes, itself included. */
export async function readForwardingChain(db: Queryable, first: string): Promise<FindTarget> {
  const known = new Map<string, string | null | undefined>()
  let next: string | null | undefined = first
  while (next && !known.has(next) && known.size <= FORWARDINGS_MAX) {
    const number: string = next
    next = await findForwarding(db, number)
    known.set(number, next)
  }
  return (number) => known.get(number)
}
