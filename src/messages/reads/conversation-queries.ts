// Conversations: the messages between one campaign and one other party. They have no table. A conversation is found
// by its last message, the one without a newer message.

import type { AccountId } from '../../accounts/account.js'
import type { Store } from '../../kit/postgres/db.js'
import { piece } from '../../kit/postgres/sql.js'
import { type WalkPage, walkMessages } from './walk-queries.js'

/** Fewer than in a search, because each message is looked up in an index. */
export const CONVERSATION_REACH = 5_000

export interface ConversationFilter {
  campaignId: string | null
  /** The other party's number, or ours in the last message. */
  phone: string | null
}

/** The last messages, newest first. */
export async function listLastMessages(
  db: Store,
  accountId: AccountId,
  filter: ConversationFilter,
  page: { limit: number; after: string | null },
  reach = CONVERSATION_REACH,
): Promise<WalkPage> {
  const ground = { ...filter, since: null, until: null }
  return walkMessages(db, accountId, ground, {
    ...page,
    skip: 0,
    reach: Math.max(reach, page.limit + 1),
    // For one other party in one campaign, no older message can be the last.
    peerReach: 1,
    isWanted: piece`not exists (
      select 1 from messages newer
      where newer.account_id = ${accountId} and newer.campaign_id = m.campaign_id
        and newer.peer = m.peer and newer.id > m.id)`,
  })
}
