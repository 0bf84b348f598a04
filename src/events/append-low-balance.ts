// A balance that fell below its threshold, for the live stream.

import { toDollars } from '../kit/money.js'
import type { AppendLowBalance } from '../ledger/watch-balances.js'
import { appendEvent } from './append-events.js'

export const appendLowBalance: AppendLowBalance = async (tx, low, now) => {
  await appendEvent(tx, {
    accountId: low.accountId,
    eventType: 'balance.changed',
    data: {
      change: 'low',
      balance: toDollars(low.balanceMicros),
      lowBalanceThreshold: toDollars(low.thresholdMicros),
    },
    now,
  })
}
