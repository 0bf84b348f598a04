// Money: every message is charged once. It is refunded if its failure costs nothing, or if it is settled without
// evidence. A receipt that arrives later charges it again, as far as the balance allows. The wallet holds the sum.

import { MESSAGE_ERRORS } from '../../../src/messages/message-errors.js'
import type { EntryFact, Facts, MessageFact } from '../facts.js'
import { type Evidence, groupBy } from './judge.js'

const REFUND = 'refund:'
const RECHARGE = 'recharge:'
/** Charged if a carrier stopped the message, and not if we did. Both are valid. */
const EITHER = new Set([1320, 1375])

export function judgeMoney({ journal, facts }: Evidence): [string, string[]][] {
  const charges = groupBy(
    facts.entries.filter(({ reason }) => reason === 'message'),
    ({ reference }) => reference,
  )
  const refunds = entriesWith(facts, REFUND)
  const recharges = entriesWith(facts, RECHARGE)
  const paid = facts.messages.filter(({ direction, priceMicros }) => {
    return direction === 'OUTBOUND' && priceMicros > 0n
  })
  const customers = new Map(journal.wanted.map(({ customer }) => [customer.accountId, customer]))
  return [
    ['charged twice or not at all', judgeCharges(paid, charges)],
    ['too many or too few refunds', judgeRefunds(paid, refunds, recharges)],
    ['wrong wallets', judgeWallets(customers, facts)],
    ['ledgers that do not add up', facts.drift > 0 ? [`${facts.drift} ledgers`] : []],
  ]
}

type Entries = ReadonlyMap<string, readonly EntryFact[]>

function entriesWith({ entries }: Facts, prefix: string): Entries {
  return groupBy(
    entries.filter(({ reference }) => reference.startsWith(prefix)),
    ({ reference }) => reference.slice(prefix.length),
  )
}

function judgeCharges(paid: readonly MessageFact[], charges: Entries): string[] {
  const ids = new Set(paid.map(({ id }) => id))
  const wrong = paid.flatMap(({ id, priceMicros }) => {
    const own = charges.get(id) ?? []
    const isOnce = own.length === 1 && own[0]!.amountMicros === -priceMicros
    return isOnce ? [] : [`${id}: ${own.length} charges of a price of ${priceMicros}`]
  })
  const strays = [...charges.keys()].filter((id) => !ids.has(id)).map((id) => `${id}: no message`)
  return [...wrong, ...strays]
}

function judgeRefunds(
  paid: readonly MessageFact[],
  refunds: Entries,
  recharges: Entries,
): string[] {
  return paid.flatMap((message) => {
    const { id, status, errorCode, priceMicros, isRefunded } = message
    const [back, again] = [refunds.get(id) ?? [], recharges.get(id) ?? []]
    const isRight =
      back.length <= 1 &&
      again.length <= back.length &&
      back.every(({ amountMicros }) => amountMicros === priceMicros) &&
      again.every(({ amountMicros }) => amountMicros === -priceMicros) &&
      isRefunded === back.length > again.length &&
      mayBeRefunded(message)
    if (isRight) return []
    const counts = `${back.length} refunds and ${again.length} recharges`
    return [`${id}: ${counts}, ${status} with the error ${errorCode}, refunded: ${isRefunded}`]
  })
}

/** Whether the message may be refunded, or charged, in its final state. */
function mayBeRefunded({ status, errorCode, timeline, isRefunded }: MessageFact): boolean {
  if (timeline.includes('forgiven')) return isRefunded
  if (errorCode === null) return isRefunded === (status === 'SENT' && timeline.includes('settled'))
  if (EITHER.has(errorCode)) return true
  return isRefunded !== MESSAGE_ERRORS[errorCode as keyof typeof MESSAGE_ERRORS].isCharged
}

function judgeWallets(
  customers: ReadonlyMap<string, { name: string; creditMicros: bigint }>,
  { entries, wallets }: Facts,
): string[] {
  const byAccount = groupBy(entries, ({ accountId }) => accountId)
  return [...customers].flatMap(([accountId, { name, creditMicros }]) => {
    const own = byAccount.get(accountId) ?? []
    const moved = own
      .filter(({ reason }) => reason !== 'credit')
      .reduce((sum, { amountMicros }) => sum + amountMicros, 0n)
    const wallet = wallets.get(accountId) ?? 0n
    const expected = creditMicros + moved
    if (wallet === expected && wallet >= 0n) return []
    return [`${name}: ${wallet} in the wallet, and ${expected} by its entries`]
  })
}
