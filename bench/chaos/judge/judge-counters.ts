// Counters against rows: what statistics, usage, balance, and limits report is what the messages and entries add up to.

import type { Counters } from '../counters.js'
import type { Customer } from '../customers.js'
import type { Evidence } from './evidence.js'

const MICROS = 1_000_000

export function judgeCounters({
  journal,
  facts,
  counters,
}: Pick<Evidence, 'journal' | 'facts' | 'counters'>): string[] {
  if (!counters) return []
  const customers = new Map(journal.wanted.map(({ customer }) => [customer.accountId, customer]))
  return [...customers].flatMap(([accountId, customer]) => {
    const reported = counters.get(accountId)
    if (!reported) return [`${customer.name}: no counters`]
    const counted = countRows(accountId, facts)
    // A message with an unknown outcome is QUEUED and waits for nothing.
    if ((facts.leftovers.get('unsettled') ?? 0) > 0) counted.waiting = reported.waiting
    return differences(customer, reported, counted)
  })
}

/** The same figures from the rows. */
function countRows(accountId: string, { messages, ledgers }: Evidence['facts']): Counters {
  const own = messages.filter((message) => message.accountId === accountId)
  const outbound = own.filter(({ direction }) => direction === 'OUTBOUND')
  const statuses: Record<string, number> = {}
  const errors: Record<string, number> = {}
  for (const { status, errorCode } of outbound) {
    statuses[status] = (statuses[status] ?? 0) + 1
    if (errorCode !== null) errors[errorCode] = (errors[errorCode] ?? 0) + 1
  }
  const cost = outbound
    .filter(({ isRefunded }) => !isRefunded)
    .reduce((sum, { priceMicros }) => sum + priceMicros, 0n)
  const wallet = ledgers.find((one) => one.accountId === accountId && one.ledger === 'wallet')
  return {
    outbound: outbound.length,
    inbound: own.length - outbound.length,
    ...{ statuses, errors },
    messages: outbound.length,
    segments: outbound.reduce((sum, { segments }) => sum + segments, 0),
    costMicros: Number(cost),
    balanceMicros: Number(wallet?.micros ?? 0n),
    waiting: outbound.filter(({ status }) => status === 'QUEUED').length,
  }
}

function differences({ name }: Customer, reported: Counters, counted: Counters): string[] {
  const figures = (counters: Counters) => {
    const { statuses, errors, ...rest } = counters
    const named = (prefix: string, counts: Record<string, number>) =>
      Object.entries(counts).map(([key, count]): [string, number] => [`${prefix} ${key}`, count])
    return new Map([
      ...Object.entries(rest),
      ...named('status', statuses),
      ...named('error', errors),
    ] as [string, number][])
  }
  const [seen, expected] = [figures(reported), figures(counted)]
  return [...new Set([...seen.keys(), ...expected.keys()])]
    .filter((key) => (seen.get(key) ?? 0) !== (expected.get(key) ?? 0))
    .map((key) => `${name}: ${key} is ${seen.get(key) ?? 0}, not ${expected.get(key) ?? 0}`)
}

/** From dollars on the wire. */
export function microsOf(dollars: number): number {
  return Math.round(dollars * MICROS)
}
