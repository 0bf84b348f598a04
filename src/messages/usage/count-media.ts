// Compares the totals of stored files with the files, once a day for each account, and corrects what a process of an older version did not
// count.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS, HOUR_MS } from '../../kit/clock.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { correctMediaTotals, isMediaCounted } from '../media-totals-queries.js'
import { listReachedAccounts } from './sum-queries.js'

const PORTION = 100

export function mediaTotalsLoop(world: World): Loop {
  const { db, log } = world
  let after: AccountId = ''
  return {
    name: 'media totals',
    idleMs: HOUR_MS,
    onError: (error) => log.error({ err: error }, 'finding accounts to count media failed'),
    step: async () => {
      const accounts = await listReachedAccounts(db, after, PORTION)
      for (const accountId of accounts) {
        // An account that cannot be counted now is left to the next round.
        await countDue(world, accountId).catch((error: unknown) =>
          log.error({ err: error, accountId }, 'counting media failed'),
        )
      }
      after = accounts.at(-1) ?? ''
      return accounts.length
    },
  }
}

async function countDue({ db, clock, log }: World, accountId: AccountId): Promise<void> {
  const now = clock.now()
  if (await isMediaCounted(db, accountId, new Date(now.getTime() - DAY_MS))) return
  const bytes = await correctMediaTotals(db.patient, accountId, now)
  if (bytes !== 0) log.warn({ accountId, bytes }, 'media totals were corrected')
}
