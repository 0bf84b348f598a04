// Limits and opt-outs, as counted by the carriers: messages per minute to AT&T, messages per day to T-Mobile, and none
// to a phone that sent STOP.

import { pacificDay } from '../../../src/messages/lane.js'
import { prefixOf, type Taken } from '../carrier.js'
import type { Customer } from '../customers.js'
import { type Evidence, groupBy } from './judge.js'

/** A minute, minus the carrier's own delay in recording. */
const MINUTE_MS = 58_000
/** Messages that a dispatcher had leased when the STOP came may still be sent. */
const LEASE_MS = 60_000

export function judgeLimits({ journal, taken }: Evidence): [string, string[]][] {
  const customers = new Map(
    [...journal.wanted, ...journal.stopped].map(({ customer }) => [customer.number, customer]),
  )
  const byCustomer = groupBy(taken, ({ from }) => from)
  const each = (judgeOne: (customer: Customer, own: Taken[]) => string[]) =>
    [...customers].flatMap(([number, customer]) => judgeOne(customer, byCustomer.get(number) ?? []))
  return [
    ['AT&T limits exceeded', each(judgeAtt)],
    ['T-Mobile caps exceeded', each(judgeTmo)],
    ['accepted after a STOP', judgeAcceptedAfterStop(journal)],
    ['sent after a STOP', judgeSentAfterStop(journal, taken)],
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
  return [...groupBy(tmo, ({ atMs }) => pacificDay(new Date(atMs)))].flatMap(([day, ofDay]) => {
    const used = ofDay.reduce((sum, { parts }) => sum + parts, 0)
    return used > limits.dailyTmoCap ? [`${name}: ${used} of ${limits.dailyTmoCap} on ${day}`] : []
  })
}

/** Sends after the STOP was acknowledged must have been refused. */
function judgeAcceptedAfterStop({ wanted, stopped }: Evidence['journal']): string[] {
  return stopped.flatMap(({ customer, phone, fromMs, untilMs }) =>
    wanted
      .filter(
        (one) =>
          one.to === phone &&
          one.customer === customer &&
          one.answer === 'accepted' &&
          one.askedAtMs > fromMs &&
          one.askedAtMs < untilMs,
      )
      .map(({ id, text }) => `${id} (${text})`),
  )
}

function judgeSentAfterStop(
  { wanted, stopped }: Evidence['journal'],
  taken: readonly Taken[],
): string[] {
  const asked = new Set(wanted.map(({ text }) => text))
  return stopped.flatMap(({ customer, phone, fromMs, untilMs }) =>
    taken
      .filter(
        ({ from, to, text, atMs }) =>
          from === customer.number &&
          to === phone &&
          asked.has(text) &&
          atMs > fromMs + LEASE_MS &&
          atMs < untilMs,
      )
      .map(({ text }) => text),
  )
}
