// Deletes outbound files two days after they were last needed.

import type { AccountId } from '../../accounts/account.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { findFilesToCheck, purgeFiles } from '../media-queries.js'

const IDLE_MS = 10 * 60_000
const PORTION = 200

export function purgeFilesLoop({ db, clock, log }: World): Loop {
  return {
    name: 'unused media',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'deleting unused media failed'),
    step: async () => {
      const now = clock.now()
      const due = await findFilesToCheck(db, now, PORTION)
      const byAccount = new Map<AccountId, Set<string>>()
      for (const { accountId, hash } of due) {
        byAccount.set(accountId, (byAccount.get(accountId) ?? new Set()).add(hash))
      }
      for (const [accountId, hashes] of byAccount) {
        await purgeFiles(db, accountId, [...hashes], now)
      }
      return due.length
    },
  }
}
