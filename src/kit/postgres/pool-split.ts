// Divides the connections among pools, so one kind of work cannot use up the connections of another. A
// customer's slow reports wait for each other, not in front of a send.

import { DatabaseFailure } from './db-failure.js'
import { type Limits, limitsOf } from './db-limits.js'

/** Sends; other customer requests; loops and callbacks; reports and operators. */
export const POOL_NAMES = ['send', 'read', 'worker', 'report'] as const
export type PoolName = (typeof POOL_NAMES)[number]

/** With fewer connections than this, there is one pool for everything: each pool needs at least two. */
const SPLIT_MIN = 8
const EACH_MIN = 2
const PART: Record<Exclude<PoolName, 'worker'>, number> = { send: 4, read: 4, report: 6 }

/** Null if there are too few connections to divide. Workers get the rest. */
export function splitPool(max: number): Record<PoolName, number> | null {
  if (max < SPLIT_MIN) return null
  const part = (name: keyof typeof PART) => Math.max(EACH_MIN, Math.floor(max / PART[name]))
  const [send, read, report] = [part('send'), part('read'), part('report')]
  return { send, read, report, worker: max - send - read - report }
}

/** How many connections of a pool one account may use at once. The rest is for other accounts. */
export function accountShare(size: number): number {
  return Math.max(1, Math.floor((size * 2) / 3))
}

/** For one account and pool. A client with more concurrent requests than this is refused sooner. */
const WAITING_MAX = 1_000
/** After a report, the account's next one waits: reports without end take a seventh of a connection's time. */
const REPORT_REST = { times: 6, msMax: 60 }

/** How the requests of one account share a pool. */
export function shareLimits(size: number, isForReports: boolean) {
  const failure = () =>
    new DatabaseFailure('concurrency_limited', "the account's share of a pool is in use")
  const limits = { count: accountShare(size), waitingMax: WAITING_MAX, failure }
  return isForReports ? { ...limits, rest: REPORT_REST } : limits
}

const STATEMENT_MS_MIN = 1_000

/**
 * Sends and workers get the full statement time. Reads and reports get half, because others wait behind them.
 */
export function poolLimits(name: PoolName, statementMs: number): Limits {
  const whole = limitsOf(statementMs)
  if (name === 'send' || name === 'worker') return whole
  const half = Math.min(statementMs, Math.max(STATEMENT_MS_MIN, Math.floor(statementMs / 2)))
  return { ...limitsOf(half), connectMs: whole.connectMs }
}
