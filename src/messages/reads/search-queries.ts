// Messages of all campaigns, by what is known of them.

import type { AccountId } from '../../accounts/account.js'
import type { Store } from '../../kit/postgres/db.js'
import { NOTHING, piece } from '../../kit/postgres/sql.js'
import type { MessageFilter } from '../message-queries.js'
import { type Found, walkMessages } from './walk-queries.js'

/** A stretch that PostgreSQL reads in some tens of milliseconds. */
export const SEARCH_REACH = 10_000

export interface SearchFilter extends Omit<MessageFilter, 'campaignId'> {
  campaignId: string | null
  errorCode: number | null
}

export async function searchMessages(
  db: Store,
  accountId: AccountId,
  filter: SearchFilter,
  page: { limit: number; after: string | null },
  reach = SEARCH_REACH,
): Promise<Found> {
  const { direction, status, errorCode } = filter
  const isEveryWanted = direction === null && status === null && errorCode === null
  const steps = isEveryWanted ? page.limit + 1 : Math.max(reach, page.limit + 1)
  return walkMessages(db, accountId, filter, {
    ...page,
    reach: steps,
    peerReach: steps,
    isWanted: piece`true ${direction === null ? NOTHING : piece`and direction = ${direction}`}
      ${status === null ? NOTHING : piece`and status = ${status}`}
      ${errorCode === null ? NOTHING : piece`and error_code = ${errorCode}`}`,
  })
}
