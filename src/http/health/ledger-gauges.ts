// Money as gauges: ledgers that do not add up, the sum of each ledger, and the accounts that spend the most. It reads
// the whole ledger, so processes with the schedule role sum it in the background. A scrape reads the last result.

import { elapsedMs } from '../../kit/clock.js'
import type { World } from '../../kit/world.js'
import {
  type LedgerTotals,
  listTopSpenders,
  type Spender,
  sumLedgers,
} from '../../ledger/balance-queries.js'
import { findDrift } from '../../ledger/ledger-queries.js'
import { readInBackground } from './background-reading.js'
import type { Gauge } from './metrics-text.js'

const SPENDERS_MAX = 20
const LEDGERS = ['wallet', 'funding', 'fees', 'numbers', 'messages'] as const

interface Reading {
  driftingLedgers: number
  totals: LedgerTotals
  spenders: Spender[]
  atMs: number
}

export interface LedgerWatch {
  gauges: (options: { withAccounts: boolean }) => Gauge[]
}

export function createLedgerWatch({ db, log, config }: World): LedgerWatch {
  const measure = async (): Promise<Reading> => {
    const drift = await findDrift(db.patient)
    if (drift.length > 0)
      log.error({ ledgers: drift.length }, 'ledger drift: balances do not match their entries')
    const totals = await sumLedgers(db.patient)
    const spenders = await listTopSpenders(db.patient, SPENDERS_MAX)
    return { driftingLedgers: drift.length, totals, spenders, atMs: elapsedMs() }
  }
  const read = readInBackground(measure, (error) =>
    log.warn({ err: error }, 'could not check the ledger'),
  )
  return {
    gauges: ({ withAccounts }) => {
      const result = config.roles.includes('schedule') ? read() : null
      if (result === null) return []
      return [...ledgerGauges(result), ...(withAccounts ? accountGauges(result.spenders) : [])]
    },
  }
}

function ledgerGauges({ driftingLedgers, totals, atMs }: Reading): Gauge[] {
  return [
    {
      name: 'longcode_ledger_drift',
      help: 'Ledgers whose balance does not match their entries, always 0',
      samples: [{ value: driftingLedgers }],
    },
    {
      name: 'longcode_ledger_drift_age_seconds',
      help: 'Seconds since the ledger was checked',
      samples: [{ value: elapsedMs(atMs) / 1000 }],
    },
    {
      name: 'longcode_ledger_dollars',
      help: 'Balance of each ledger, summed over all accounts',
      labelNames: ['ledger'],
      samples: LEDGERS.map((ledger) => ({ labels: [ledger], value: dollars(totals[ledger]) })),
    },
    {
      name: 'longcode_accounts_empty',
      help: 'Accounts that have sent messages and have less than one cent left',
      samples: [{ value: totals.emptyAccounts }],
    },
  ]
}

// Account IDs are tenant data, so only operators get these lines.
function accountGauges(spenders: readonly Spender[]): Gauge[] {
  const samples = (measure: (spender: Spender) => bigint) =>
    spenders.map((spender) => ({ labels: [spender.accountId], value: dollars(measure(spender)) }))
  return [
    {
      name: 'longcode_account_spent_dollars',
      help: `Spent on messages, for the ${SPENDERS_MAX} accounts that have spent the most`,
      labelNames: ['account'],
      samples: samples(({ spentMicros }) => spentMicros),
    },
    {
      name: 'longcode_account_balance_dollars',
      help: 'Balance of the same accounts',
      labelNames: ['account'],
      samples: samples(({ balanceMicros }) => balanceMicros),
    },
  ]
}

function dollars(micros: bigint): number {
  return Number(micros) / 1e6
}
