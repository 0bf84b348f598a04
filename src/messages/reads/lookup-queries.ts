// Finds messages of any account, for support: by ID, by phone number, or in one account. Uses only indexes that other
// reads need: an index lookup for each account or campaign, at most a page from each.

import type { AccountId } from '../../accounts/account.js'
import type { Page } from '../../kit/contract/schema.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { acrossAccounts, sql, unprepared } from '../../kit/postgres/sql.js'
import type { Message } from '../message.js'
import { MESSAGE_COLUMNS } from '../message-queries.js'

/** Message IDs start with their time. */
export interface IdRange {
  from: string
  before: string
}

export function rangeOf(since: Date, until: Date, after: string | null): IdRange {
  const before = idFloor('msg', until)
  return {
    from: idFloor('msg', since),
    before: after !== null && after < before ? after : before,
  }
}

const ACROSS = {
  order: ['id'],
  isDescending: true,
  bigints: ['priceMicros'],
  times: ['scheduledAt', 'sentAt', 'createdAt', 'updatedAt'],
} as const

/** Null if no account has it. */
export async function findMessageOfAnyone(db: Queryable, id: string): Promise<Message | null> {
  const statement = sql`
    select m.* from accounts a
    cross join lateral (
      select ${MESSAGE_COLUMNS} from messages where account_id = a.account_id and id = ${id}) m`
  const [row] = await db.query<Message>(
    unprepared(acrossAccounts(statement, { ...ACROSS, isOne: true })),
  )
  return row ?? null
}

/** Messages to or from this phone, in all accounts or in one, newest first. */
export async function listPhoneOfAnyone(
  db: Queryable,
  { peer, accountId }: { peer: string; accountId: string | null },
  { from, before }: IdRange,
  limit: number,
): Promise<Message[]> {
  const statement = sql`
    select m.* from campaigns c
    cross join lateral (
      select ${MESSAGE_COLUMNS} from messages
      where account_id = c.account_id and campaign_id = c.id and peer = ${peer}
        and id >= ${from} and id < ${before}
      order by id desc limit ${limit}) m
    where (${accountId}::text is null or c.account_id = ${accountId})
    order by m.id desc limit ${limit}`
  return db.query<Message>(unprepared(acrossAccounts(statement, { ...ACROSS, limit })))
}

/** Messages of one of our numbers, newest first. */
export async function listNumberMessages(
  db: Queryable,
  { accountId, campaignId, phoneNumber }: NumberKey,
  { from, before }: IdRange,
  limit: number,
): Promise<Message[]> {
  return db.query<Message>(
    unprepared(sql`
      select ${MESSAGE_COLUMNS} from messages
      where account_id = ${accountId} and campaign_id = ${campaignId} and number = ${phoneNumber}
        and id >= ${from} and id < ${before}
      order by id desc limit ${limit}`),
  )
}

interface NumberKey {
  accountId: AccountId
  campaignId: string
  phoneNumber: string
}

/** Messages of one account, newest first. */
export async function listAccountMessages(
  db: Queryable,
  accountId: AccountId,
  { from, before }: IdRange,
  { limit }: Pick<Page, 'limit'>,
): Promise<Message[]> {
  return db.query<Message>(
    unprepared(sql`
      select ${MESSAGE_COLUMNS} from messages
      where account_id = ${accountId} and id >= ${from} and id < ${before}
      order by id desc limit ${limit}`),
  )
}
