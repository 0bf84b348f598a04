// Goes round the accounts that have something to be forgotten: texts and media past their days, and
// whatever is left of a deleted account. One account a step; rests when a whole round found nothing.

import type { AccountId } from '../../accounts/account.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { removeRemains } from '../accounts/delete-account.js'
import { findNextRetention } from '../accounts/retention-queries.js'
import { keepRetention } from './redact-account.js'

const IDLE_MS = 60_000

export function careLoop(world: World): Loop {
  const { db, clock, log } = world
  let after: AccountId = ''
  let handledInRound = 0
  return {
    name: 'data care',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'retention of texts and media failed'),
    step: async () => {
      const next = await findNextRetention(db, after)
      after = next?.accountId ?? ''
      if (!next) {
        const handled = handledInRound
        handledInRound = 0
        return handled
      }
      const { deletingSince } = next
      handledInRound +=
        deletingSince === null
          ? await keepRetention(db.patient, next, clock.now())
          : await removeRemains(db.patient, { ...next, deletingSince }, clock.now())
      return 1
    },
  }
}
