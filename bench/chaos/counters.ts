// The figures that the service reports to a customer, read through its API: statistics, usage, balance, and limits.

import type { Customer } from './customers.js'
import { microsOf } from './judge/judge-counters.js'

export interface Counters {
  outbound: number
  inbound: number
  /** Of outbound messages. */
  statuses: Record<string, number>
  errors: Record<string, number>
  /** Of the usage report. */
  messages: number
  segments: number
  costMicros: number
  balanceMicros: number
  /** For a limit. */
  waiting: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Stats {
  stats: {
    total: {
      outbound: number
      inbound: number
      statuses: Record<string, number>
      errors: { code: number; count: number }[]
    }
  }
}
interface Usage {
  usage: { messages: number; segments: number; cost: number }[]
}

/** By account. `since`: the start of the run. */
export async function readCounters(
  address: string,
  customers: readonly Customer[],
  since: number,
): Promise<Map<string, Counters>> {
  const counters = new Map<string, Counters>()
  for (const customer of customers) {
    counters.set(customer.accountId, await readOne(address, customer, since))
  }
  return counters
}

async function readOne(
  address: string,
  { token, campaignId }: Customer,
  since: number,
): Promise<Counters> {
  const get = async <T>(path: string): Promise<T> => {
    const reply = await fetch(`${address}/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as T
  }
  const iso = (ms: number) => new Date(ms).toISOString()
  const span = `from=${iso(since - HOUR_MS)}&to=${iso(Date.now() + HOUR_MS)}`
  const days = `from=${iso(since - DAY_MS).slice(0, 10)}&to=${iso(Date.now() + DAY_MS).slice(0, 10)}`
  const { stats } = await get<Stats>(`/stats/messages?bucket=hour&${span}`)
  const { usage } = await get<Usage>(`/account/usage?${days}`)
  const { account } = await get<{ account: { balance: number } }>('/account')
  const { limits } = await get<{ limits: { waiting: number }[] }>(`/campaign/${campaignId}/limits`)
  const { outbound, inbound, statuses, errors } = stats.total
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  return {
    ...{ outbound, inbound, statuses },
    errors: Object.fromEntries(errors.map(({ code, count }) => [code, count])),
    messages: sum(usage.map(({ messages }) => messages)),
    segments: sum(usage.map(({ segments }) => segments)),
    costMicros: microsOf(sum(usage.map(({ cost }) => cost))),
    balanceMicros: microsOf(account.balance),
    waiting: sum(limits.map(({ waiting }) => waiting)),
  }
}
