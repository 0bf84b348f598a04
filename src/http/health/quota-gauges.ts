// Accounts that are refused because of a quota, or soon will be. Processes with the schedule role measure it in the background.

import { QUOTA_NAMES } from '../../accounts/quota.js'
import type { World } from '../../kit/world.js'
import { type HighUse, listHighUse } from '../../quotas/quota-use-queries.js'
import { readInBackground } from './background-reading.js'
import type { Gauge } from './metrics-text.js'

/** As in the console. */
const NEAR = 0.8
const ACCOUNTS_MAX = 20

export interface QuotaWatch {
  gauges: (options: { withAccounts: boolean }) => Gauge[]
}

export function createQuotaWatch({ db, log, config }: World): QuotaWatch {
  const read = readInBackground(
    () => listHighUse(db.patient, config.quotas, NEAR),
    (error) => log.warn({ err: error }, 'could not measure the quotas'),
  )
  return {
    gauges: ({ withAccounts }) => {
      const found = config.roles.includes('schedule') ? read() : null
      if (found === null) return []
      return [...countGauges(found), ...(withAccounts ? [accountGauge(found)] : [])]
    },
  }
}

function countGauges(found: readonly HighUse[]): Gauge[] {
  const count = (isCounted: (share: number) => boolean) =>
    QUOTA_NAMES.map((quota) => ({
      labels: [quota],
      value: found.filter(({ name, share }) => name === quota && isCounted(share)).length,
    }))
  return [
    {
      name: 'longcode_accounts_near_quota',
      help: 'Accounts that use at least 80% of a quota, and not all of it',
      labelNames: ['quota'],
      samples: count((share) => share < 1),
    },
    {
      name: 'longcode_accounts_at_quota',
      help: 'Accounts that have used up a quota, so requests that need more are refused',
      labelNames: ['quota'],
      samples: count((share) => share >= 1),
    },
  ]
}

// Account IDs are tenant data, so only operators get these lines.
function accountGauge(found: readonly HighUse[]): Gauge {
  const highest = [...found].sort((a, b) => b.share - a.share).slice(0, ACCOUNTS_MAX)
  return {
    name: 'longcode_account_quota_ratio',
    help: `Use relative to the quota, for the ${ACCOUNTS_MAX} accounts that are nearest to one`,
    labelNames: ['account', 'quota'],
    samples: highest.map(({ accountId, name, share }) => ({
      labels: [accountId, name],
      value: share,
    })),
  }
}
