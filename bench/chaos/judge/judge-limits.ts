// Limits, as counted by the carriers' own clocks: parts per minute to AT&T, and per day to T-Mobile.

import { prefixOf, type Taken } from '../carrier.js'
import type { Customer } from '../customers.js'
import { pacificDay } from './contract.js'
import { type Evidence, type Finding, groupBy } from './evidence.js'

/** A minute, minus the carrier's own delay in recording. */
const MINUTE_MS = 58_000

export function judgeLimits({ journal, taken }: Evidence): Finding[] {
  const customers = new Map(
    [...journal.wanted, ...journal.stopped].map(({ customer }) => [customer.number, customer]),
  )
  const byCustomer = groupBy(taken, ({ from }) => from)
  const each = (judgeOne: (customer: Customer, own: Taken[]) => string[]) =>
    [...customers].flatMap(([number, customer]) => judgeOne(customer, byCustomer.get(number) ?? []))
  return [
    ['AT&T limits exceeded', each(judgeAtt)],
    ['T-Mobile caps exceeded', each(judgeTmo)],
  ]
}

function judgeAtt({ name, limits }: Customer, own: readonly Taken[]): string[] {
  const att = own.filter(({ to }) => prefixOf(to).network === 'att').sort((a, b) => a.atMs - b.atMs)
  let [first, used, most] = [0, 0, 0]
  for (const { atMs, parts } of att) {
    used += parts
    while (att[first]!.atMs <= atMs - MINUTE_MS) used -= att[first++]!.parts
    most = Math.max(most, used)
  }
  return most > limits.smsTpmAtt ? [`${name}: ${most} of ${limits.smsTpmAtt} in a minute`] : []
}

function judgeTmo({ name, limits }: Customer, own: readonly Taken[]): string[] {
  const tmo = own.filter(({ to }) => prefixOf(to).network === 'tmo')
  return [...groupBy(tmo, ({ atMs }) => pacificDay(atMs))].flatMap(([day, ofDay]) => {
    const used = ofDay.reduce((sum, { parts }) => sum + parts, 0)
    return used > limits.dailyTmoCap ? [`${name}: ${used} of ${limits.dailyTmoCap} on ${day}`] : []
  })
}
