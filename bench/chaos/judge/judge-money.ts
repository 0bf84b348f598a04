// Money: every message is charged once, refunded where its failure costs nothing and only there, and the wallet holds what
// the customer had, less the one, plus the other.

import { MESSAGE_ERRORS } from '../../../src/messages/message-errors.js'
import type { EntryFact, Facts, MessageFact } from '../facts.js'
import { type Evidence, groupBy } from './judge.js'

const REFUND = 'refund:'
/** Charged where a carrier stopped the message, and not where we did: either may be. */
const EITHER = new Set([1320, 1375])

export function judgeMoney({ journal, facts }: Evidence): [string, string[]][] {
  const charges = groupBy(
    facts.entries.filter(({ reason }) => reason === 'message'),
    ({ reference }) => reference,
  )
  const refunds = groupBy(
    facts.entries.filter(({ reference }) => reference.startsWith(REFUND)),
    ({ reference }) => reference.slice(REFUND.length),
  )
  const paid = facts.messages.filter(({ direction, priceMicros }) => {
    return direction === 'OUTBOUND' && priceMicros > 0n
  })
  const customers = new Map(journal.wanted.map(({ customer }) => [customer.accountId, customer]))
  return [
    ['charged twice, or not once', judgeCharges(paid, charges)],
    ['refunds too many or too few', judgeRefunds(paid, refunds)],
    ['wallets that are wrong', judgeWallets(customers, facts)],
    ['ledgers that do not add up', facts.drift > 0 ? [`${facts.drift} ledgers`] : []],
  ]
}

type Entries = ReadonlyMap<string, readonly EntryFact[]>

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

function judgeRefunds(paid: readonly MessageFact[], refunds: Entries): string[] {
  return paid.flatMap(({ id, errorCode, priceMicros }) => {
    const own = refunds.get(id) ?? []
    const isRight =
      own.length <= 1 &&
      own.every(({ amountMicros }) => amountMicros === priceMicros) &&
      mayHave(errorCode, own.length)
    return isRight ? [] : [`${id}: ${own.length} refunds with the error ${errorCode}`]
  })
}

function mayHave(errorCode: number | null, refunds: number): boolean {
  if (errorCode === null) return refunds === 0
  if (EITHER.has(errorCode)) return true
  const { isCharged } = MESSAGE_ERRORS[errorCode as keyof typeof MESSAGE_ERRORS]
  return refunds === (isCharged ? 0 : 1)
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
