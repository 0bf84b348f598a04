// Money: every message costs its segments times the price, and is charged once. It is refunded exactly if its failure
// costs nothing, or if it is settled without evidence. A receipt that arrives later charges it again, as far as the
// balance allows. Nobody pays for what no carrier received. Ledgers hold the sum of their entries.

import { prefixOf } from '../carrier.js'
import type { EntryFact, Facts, MessageFact } from '../facts.js'
import { isChargedInReceipt, SMS_PRICE_MICROS } from './contract.js'
import { describe, type Evidence, type Finding, groupBy, isAsked, isPartOf } from './evidence.js'
import { segmentsOf } from './text-model.js'

const REFUND = 'refund:'
const RECHARGE = 'recharge:'
const WAITING = new Set(['QUEUED', 'SCHEDULED'])

export function judgeMoney(evidence: Evidence): Finding[] {
  const { facts } = evidence
  const charges = groupBy(
    facts.entries.filter(({ reason }) => reason === 'message'),
    ({ reference }) => reference,
  )
  const asked = facts.messages.filter(isAsked)
  return [
    ['wrong segments or price', judgePrices(facts)],
    ['charged twice or not at all', judgeCharges(asked, charges)],
    ['too many or too few refunds', judgeRefunds(evidence, asked)],
    ['wrong wallets', judgeWallets(evidence)],
    ['ledgers that do not add up', judgeLedgers(facts)],
    ['never arrived but charged', judgeArrivals(asked, evidence)],
  ]
}

/** Automatic replies are free. Segments of inbound messages are counted in the same way. */
function judgePrices({ messages }: Facts): string[] {
  return messages.flatMap((message) => {
    const { id, body, segments, priceMicros } = message
    const expected = segmentsOf(body)
    const price = isAsked(message) ? SMS_PRICE_MICROS * BigInt(expected) : 0n
    if (segments === expected && priceMicros === price) return []
    return [`${id}: ${segments} segments for ${priceMicros}, expected ${expected} for ${price}`]
  })
}

/** Positive for entries to the wallet. */
function moved({ from, to, amountMicros }: EntryFact): bigint {
  if (to === 'wallet') return amountMicros
  return from === 'wallet' ? -amountMicros : 0n
}

type Entries = ReadonlyMap<string, readonly EntryFact[]>

function entriesWith({ entries }: Facts, prefix: string): Entries {
  return groupBy(
    entries.filter(({ reference }) => reference.startsWith(prefix)),
    ({ reference }) => reference.slice(prefix.length),
  )
}

function judgeCharges(asked: readonly MessageFact[], charges: Entries): string[] {
  const ids = new Set(asked.map(({ id }) => id))
  const wrong = asked.flatMap(({ id, priceMicros }) => {
    const own = charges.get(id) ?? []
    const isOnce = own.length === 1 && moved(own[0]!) === -priceMicros
    return isOnce ? [] : [`${id}: ${own.length} charges of a price of ${priceMicros}`]
  })
  const strays = [...charges.keys()].filter((id) => !ids.has(id)).map((id) => `${id}: no message`)
  return [...wrong, ...strays]
}

function judgeRefunds(evidence: Evidence, asked: readonly MessageFact[]): string[] {
  const { facts } = evidence
  const [refunds, recharges] = [entriesWith(facts, REFUND), entriesWith(facts, RECHARGE)]
  const isRefusedAtSubmit = refusalTest(evidence)
  const isPoor = poverty(evidence)
  return asked.flatMap((message) => {
    const { id, status, errorCode, priceMicros, isRefunded, timeline } = message
    const [back, again] = [refunds.get(id) ?? [], recharges.get(id) ?? []]
    const isRight =
      back.length <= 1 &&
      again.length <= back.length &&
      back.every((entry) => moved(entry) === priceMicros) &&
      again.every((entry) => moved(entry) === -priceMicros) &&
      isRefunded === back.length > again.length &&
      (!timeline.includes('forgiven') || isPoor(message.accountId)) &&
      isRefunded === mustBeRefunded(message, isRefusedAtSubmit(message))
    if (isRight) return []
    const counts = `${back.length} refunds and ${again.length} recharges`
    return [`${id}: ${counts}, ${status} with the error ${errorCode}, refunded: ${isRefunded}`]
  })
}

/** Whose balance may be too low for a late receipt. */
const POOR_MICROS = 10_000_000n

function poverty({ journal }: Evidence): (accountId: string) => boolean {
  const credits = new Map(
    journal.wanted.map(({ customer }) => [customer.accountId, customer.creditMicros]),
  )
  return (accountId) => (credits.get(accountId) ?? 0n) < POOR_MICROS
}

/** Whether no carrier accepted it: then only we, or a refusal of its submit, can have failed it. */
function refusalTest({ taken, fragments, refused }: Evidence): (message: MessageFact) => boolean {
  const texts = new Set(taken.map(({ text }) => text))
  const parts = groupBy([...fragments], ({ to }) => to)
  const refusals = groupBy([...refused], ({ to }) => to)
  return (message) => {
    const { peer, body } = message
    if (prefixOf(peer).link === 'simulator') return true
    const isPart = (one: { text: string; to: string }) => isPartOf(one, message)
    if (refusals.get(peer)?.some(isPart)) return true
    return !texts.has(body) && !parts.get(peer)?.some(isPart)
  }
}

/** In its current state. */
function mustBeRefunded(
  { status, errorCode, timeline }: MessageFact,
  isRefusedAtSubmit: boolean,
): boolean {
  if (timeline.includes('forgiven')) return true
  if (errorCode === null) return status === 'SENT' && timeline.includes('settled')
  return isRefusedAtSubmit || !isChargedInReceipt(errorCode)
}

function judgeWallets({ journal, facts }: Evidence): string[] {
  const customers = new Map(journal.wanted.map(({ customer }) => [customer.accountId, customer]))
  const byAccount = groupBy(facts.entries, ({ accountId }) => accountId)
  return [...customers].flatMap(([accountId, { name, creditMicros }]) => {
    const expected = (byAccount.get(accountId) ?? [])
      .filter(({ reason }) => reason !== 'credit')
      .reduce((sum, entry) => sum + moved(entry), creditMicros)
    const wallet = facts.ledgers.find(
      (one) => one.accountId === accountId && one.ledger === 'wallet',
    )?.micros
    if (wallet === expected && wallet >= 0n) return []
    return [`${name}: ${wallet} in the wallet, and ${expected} by its entries`]
  })
}

function judgeLedgers({ entries, ledgers }: Facts): string[] {
  const sums = new Map<string, bigint>()
  for (const { accountId, from, to, amountMicros } of entries) {
    const [source, target] = [`${accountId} ${from}`, `${accountId} ${to}`]
    sums.set(source, (sums.get(source) ?? 0n) - amountMicros)
    sums.set(target, (sums.get(target) ?? 0n) + amountMicros)
  }
  return ledgers.flatMap(({ accountId, ledger, micros }) => {
    const sum = sums.get(`${accountId} ${ledger}`) ?? 0n
    return micros === sum ? [] : [`${accountId} ${ledger}: ${micros}, and ${sum} by its entries`]
  })
}

/** No charge remains for a message of which no carrier has seen a part. Decision 0066. */
function judgeArrivals(
  asked: readonly MessageFact[],
  { facts, taken, fragments }: Evidence,
): string[] {
  const texts = new Set(taken.map(({ text }) => text))
  const parts = groupBy([...fragments], ({ to }) => to)
  const paid = paidByMessage(facts.entries)
  return asked
    .filter((message) => {
      const { status, body, peer, id } = message
      if (prefixOf(peer).link === 'simulator' || WAITING.has(status)) return false
      const hasArrived = texts.has(body) || parts.get(peer)?.some((one) => isPartOf(one, message))
      return !hasArrived && (paid.get(id) ?? 0n) > 0n
    })
    .map(describe)
}

/** The final cost of each message: its charge, minus its refund, plus its second charge. */
function paidByMessage(entries: readonly EntryFact[]): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  for (const entry of entries) {
    const id = entry.reference.slice(entry.reference.indexOf(':') + 1)
    paid.set(id, (paid.get(id) ?? 0n) - moved(entry))
  }
  return paid
}
