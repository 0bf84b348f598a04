// A walk over an account's messages, newest first, for reads that need only some of them. No index has a message's
// status or which message is the last of a conversation, because it would be written with every message. So a walk
// reads a fixed number of messages, then stops and returns where the next one continues.

import type { AccountId } from '../../accounts/account.js'
import type { Store } from '../../kit/postgres/db.js'
import { NOTHING, piece, raw, sql, unprepared } from '../../kit/postgres/sql.js'
import type { Message } from '../message.js'
import { MESSAGE_COLUMNS, queryInOrder, rangeOf } from '../message-queries.js'

type Piece = ReturnType<typeof piece>

/** The messages that a walk covers. */
export interface Ground {
  /** Null: all campaigns of the account. */
  campaignId: string | null
  /** Ours or the other party's. */
  phone: string | null
  since: Date | null
  until: Date | null
}

export interface Walk {
  /** How many messages are found at most. */
  limit: number
  /** How many matches are skipped first. */
  skip: number
  /** Only messages before this id. */
  after: string | null
  /** How many messages are read at most. More than `limit`. */
  reach: number
  /** The same, for messages with one other party in one campaign. */
  peerReach: number
  /** About the columns of `m` in COLUMNS. */
  isWanted: Piece
  /** The statement has one of very many texts, so it is not prepared. */
  isUnprepared?: boolean
}

/** What a walk can decide by. They are read from the row in any case, because no index has the status. */
const COLUMNS =
  raw(`id, campaign_id, peer, direction, status, error_code, body, metadata, price_micros,
  is_refunded`)

export interface WalkPage {
  messages: Message[]
  /** Where the next walk continues. Null at the end. */
  next: string | null
}

interface Row extends Message {
  isWanted: boolean
  isLastStep: boolean
}

/** The last message read is always included, because the next walk starts there. */
export async function walkMessages(
  db: Store,
  accountId: AccountId,
  ground: Ground,
  walk: Walk,
): Promise<WalkPage> {
  // The columns are looked up row by row, because of the limit. A join might read everything.
  const statement = sql`
    with looked_at as (
      select id as found_id, ${isFound(walk)} as is_wanted,
        row_number() over (order by id desc) = ${walk.reach} as is_last_step
      from (${stretchOf(accountId, ground, walk)}) as m
    ), found as (
      select * from looked_at where is_wanted or is_last_step
      order by found_id desc limit ${walk.limit + 1}
    )
    select message.*, is_wanted as "isWanted", is_last_step as "isLastStep"
    from found cross join lateral (
      select ${MESSAGE_COLUMNS} from messages
      where account_id = ${accountId} and id = found_id limit 1) as message
    order by found_id desc`
  const rows = await queryInOrder<Row>(
    db,
    accountId,
    ground.phone === null && !walk.isUnprepared ? statement : unprepared(statement),
  )
  const messages = rows.filter((row) => row.isWanted).slice(0, walk.limit)
  return { messages, next: nextOf(rows, walk.limit) }
}

function isFound({ isWanted, skip }: Walk): Piece {
  if (skip === 0) return isWanted
  return piece`(${isWanted}) and count(*) filter (where ${isWanted})
    over (order by id desc rows unbounded preceding) > ${skip}`
}

// Only the last row can be a non-match, so an extra row follows a full page.
function nextOf(rows: readonly Row[], limit: number): string | null {
  if (rows.length > limit) return rows[limit - 1]!.id
  const last = rows.at(-1)
  return last?.isLastStep ? last.id : null
}

function stretchOf(accountId: AccountId, ground: Ground, walk: Walk): Piece {
  const { campaignId } = ground
  const range = rangeOf(ground, walk.after)
  if (ground.phone !== null) return phoneStretch(accountId, { ...ground, range }, walk)
  return piece`select ${COLUMNS} from messages
    where account_id = ${accountId} ${range}
      ${campaignId === null ? NOTHING : piece`and campaign_id = ${campaignId}`}
    order by id desc limit ${walk.reach}`
}

// Number indexes are by campaign, so each campaign is queried. As in listMessages, both numbers of a message have
// an index, and ranges make PostgreSQL use it.
function phoneStretch(
  accountId: AccountId,
  { campaignId, phone, range }: Ground & { range: Piece },
  { reach, peerReach }: Walk,
): Piece {
  const own = piece`account_id = ${accountId} and campaign_id = c.id ${range}`
  return piece`select of_campaign.* from campaigns c cross join lateral (
      (select ${COLUMNS} from messages where ${own} and peer >= ${phone} and peer <= ${phone}
        order by peer desc, id desc limit ${peerReach})
      union all
      (select ${COLUMNS} from messages where ${own} and number >= ${phone}
        and number <= ${phone} and peer <> ${phone} order by number desc, id desc limit ${reach})
    ) as of_campaign
    where c.account_id = ${accountId} ${campaignId === null ? NOTHING : piece`and c.id = ${campaignId}`}
    order by of_campaign.id desc limit ${reach}`
}
