// Searches messages of one campaign or all, by their fields.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import type { Store } from '../../kit/postgres/db.js'
import { NOTHING, piece } from '../../kit/postgres/sql.js'
import { type MessageFilter, SEARCH_REACH } from '../message-queries.js'
import type { Status } from '../message-state.js'
import { type WalkPage, walkMessages } from './walk-queries.js'

export interface SearchFilter extends Omit<MessageFilter, 'campaignId'> {
  campaignId: string | null
  /** Whether `phone` is where messages went or came from. Absent: either. */
  phoneIs?: 'to' | 'from'
  status: Status | null
  errorCode: number | null
}

/** The direction of messages in which the other party has that role. */
const TO_PEER = { to: 'OUTBOUND', from: 'INBOUND' } as const

export async function searchMessages(
  db: Store,
  accountId: AccountId,
  filter: SearchFilter,
  page: Page,
  reach = SEARCH_REACH,
): Promise<WalkPage> {
  const { direction, status, errorCode, phone, phoneIs } = filter
  const isEveryWanted =
    direction === null && status === null && errorCode === null && phoneIs === undefined
  const pageEnd = page.skip + page.limit + 1
  const steps = isEveryWanted ? pageEnd : Math.max(page.skip + reach, pageEnd)
  return walkMessages(db, accountId, filter, {
    ...page,
    reach: steps,
    peerReach: steps,
    isWanted: piece`true ${direction === null ? NOTHING : piece`and direction = ${direction}`}
      ${status === null ? NOTHING : piece`and status = ${status}`}
      ${errorCode === null ? NOTHING : piece`and error_code = ${errorCode}`}
      ${phoneIs === undefined ? NOTHING : piece`and (peer = ${phone}) = (direction = ${TO_PEER[phoneIs]})`}`,
  })
}
