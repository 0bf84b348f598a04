// Reads the ledger for people: entries with the balance after each, and balances at a given time. Both start
// from the nearest closing, so they read at most one day of entries.

import type { AccountId } from '../accounts/account.js'
import type { Page } from '../kit/contract/schema.js'
import { timePrefixOf } from '../kit/id-queries.js'
import { idFloor, TIME_PREFIX_LENGTH, timeOfId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import { type LedgerEntry, MESSAGE_REASONS, type Reason } from './ledger.js'

export const SIGNED = raw(
  `case when t.to_ledger = 'wallet' then t.amount_micros else -t.amount_micros end`,
)
// The amount spent and not refunded. An operator's deposits and corrections do not count.
const SPENT = raw(`case when t.to_ledger in ('fees', 'numbers', 'messages') then t.amount_micros
  when t.from_ledger in ('fees', 'numbers', 'messages') then -t.amount_micros else 0 end`)
export const RARE = raw(`t.reason not in ('message', 'message_refund')`)
const ABOVE_ALL_IDS = 'trf~'

export interface EntryFilter {
  reason: Reason | null
  campaignId: string | null
  /** At or after this time. */
  since: Date | null
  /** Before this time. */
  until: Date | null
}

/**
 * How many transfers a search for one campaign reads. There is no index by campaign, because every send would
 * have to write it.
 */
export const LEDGER_REACH = 10_000

export interface FoundEntries {
  entries: LedgerEntry[]
  /** The cursor for the next page; null at the end. */
  next: string | null
}

/**
 * Newest first. For a campaign with few transfers, the search stops after a limit, and the next page
 * continues from there.
 */
export async function searchEntries(
  db: Queryable,
  accountId: AccountId,
  filter: EntryFilter,
  page: Page,
  reach = LEDGER_REACH,
): Promise<FoundEntries> {
  const floor = await findReachEnd(db, accountId, filter, page, reach)
  const since = floor === null ? filter.since : timeOfId(floor)
  const rows = await listEntries(db, accountId, { ...filter, since }, page)
  const entries = rows.slice(0, page.limit)
  return { entries, next: rows.length > page.limit ? entries.at(-1)!.id : floor }
}

/** The lowest ID of the millisecond where a search for one campaign stops; null if it reaches the end. */
async function findReachEnd(
  db: Queryable,
  accountId: AccountId,
  filter: EntryFilter,
  page: Page,
  reach: number,
): Promise<string | null> {
  if (filter.campaignId === null) return null
  const [end] = await db.query<{ id: string }>(sql`
    select t.id from ledger_transfers t
    where t.account_id = ${accountId} ${conditions({ ...filter, campaignId: null })}
      ${idBounds(filter, page, 't.id')}
    order by t.id desc limit 1 offset ${page.skip + reach}`)
  return end ? entryFloor(timeOfId(end.id)) : null
}

/** Newest first, one more than the page has. */
export async function listEntries(
  db: Queryable,
  accountId: AccountId,
  filter: EntryFilter,
  page: Page,
): Promise<LedgerEntry[]> {
  return db.query<LedgerEntry>(sql`
    with ${pageOfEntries(accountId, filter, page)}, spans as (
      -- The rows between two closings share one: the balance there, less what came after them.
      select ${raw(timePrefixOf('min(p.id)'))} as low, ${raw(timePrefixOf('max(p.id)'))} || '~' as high,
        c.floor_id as top, c.wallet_micros as balance
      from page p left join lateral (
        select floor_id, wallet_micros from ledger_closings
        where account_id = ${accountId} and floor_id > p.id
        order by floor_id limit 1) c on true
      group by c.floor_id, c.wallet_micros
    ), bases as (
      select s.low, s.high, s.top, coalesce(s.balance, (
          select wallet_micros from account_ledgers where account_id = ${accountId}))
        - (select coalesce(sum(${SIGNED}), 0) from ledger_transfers t
          where t.account_id = ${accountId} and t.id >= s.high
            and t.id < coalesce(s.top, ${ABOVE_ALL_IDS})) as balance
      from spans s
    ), running as (
      select t.id, b.balance - coalesce(sum(${SIGNED}) over (partition by b.top order by t.id desc
          rows between unbounded preceding and 1 preceding), 0) as balance_after
      from bases b cross join lateral (
        select id, to_ledger, amount_micros from ledger_entries
        where account_id = ${accountId} and transfer_id >= b.low and transfer_id < b.high) t
    )
    select t.id, t.reason, t.reference, t.campaign_id as "campaignId",
      ${SIGNED} as "amountMicros", r.balance_after::bigint as "balanceAfterMicros", n.note,
      t.created_at as "createdAt"
    from page t join running r on r.id = t.id
    left join ledger_notes n on n.account_id = ${accountId} and n.transfer_id = t.id
    order by t.id desc`)
}

// The newest transfers with enough entries, plus those of the same millisecond as the last one. The entries
// of a transfer share one millisecond and may be interleaved with those of another.
function pageOfEntries(accountId: AccountId, filter: EntryFilter, page: Page) {
  const needed = page.skip + page.limit + 1
  const ofAccount = piece`account_id = ${accountId} ${conditions(filter)}`
  return piece`
    near as (
      select t.id, sum(${entriesBelow(page)}) over (order by t.id desc) as held
      from (select t.id, t.entries from ledger_transfers t
        where t.${ofAccount} ${idBounds(filter, page, 't.id')}
        order by t.id desc limit ${needed}) t
    ), page as materialized (
      select t.* from ledger_entries t
      where t.${ofAccount} ${idBounds(filter, page, 't.transfer_id')} ${idBounds(filter, page, 't.id')}
        and t.transfer_id >= (select ${raw(timePrefixOf('lowest'))} from (
          select coalesce(max(id) filter (where held >= ${needed}), min(id)) as lowest from near) n)
      order by t.id desc limit ${page.limit + 1} offset ${page.skip}
    )`
}

// If the previous page ended inside a transfer, all that is known is that it has one more entry.
function entriesBelow({ after }: Page) {
  if (after === null) return piece`t.entries`
  return piece`case when t.id >= ${after.slice(0, TIME_PREFIX_LENGTH)} then 1 else t.entries end`
}

function conditions({ reason, campaignId }: EntryFilter) {
  const isRare = reason !== null && !MESSAGE_REASONS.some((one) => one === reason)
  return piece`
    ${reason === null ? NOTHING : piece`and t.reason = ${reason}`}
    ${isRare ? piece`and ${RARE}` : NOTHING}
    ${campaignId === null ? NOTHING : piece`and t.campaign_id = ${campaignId}`}`
}

// Only the bounds that are set: a bound that may be null would prevent index use.
function idBounds({ since, until }: EntryFilter, { after }: Page, column: string) {
  const id = raw(column)
  return piece`
    ${since === null ? NOTHING : piece`and ${id} >= ${entryFloor(since)}`}
    ${until === null ? NOTHING : piece`and ${id} < ${entryFloor(until)}`}
    ${after === null ? NOTHING : piece`and ${id} < ${after}`}`
}

/** The lowest ID that an entry of this time could have. There are none before 1970. */
export function entryFloor(moment: Date): string {
  return idFloor('trf', new Date(Math.max(moment.getTime(), 0)))
}

export interface Position {
  walletMicros: bigint
  /** Fees, numbers, and messages, minus refunds, since the account was created. */
  spentMicros: bigint
}

/** The sum of all entries below the ID. */
export async function findPosition(
  db: Queryable,
  accountId: AccountId,
  floorId: string,
): Promise<Position> {
  const [row] = await db.query<Position>(sql`
    ${closingBelow(accountId, floorId)}
    select ${POSITION_SUMS} from ledger_transfers t
    where t.account_id = ${accountId} and t.id < ${floorId}
      and t.id >= coalesce((select floor_id from closing), '')`)
  return row!
}

/** The sums of all entries below each of the IDs, in the same order. */
export async function listPositions(
  db: Queryable,
  accountId: AccountId,
  floorIds: readonly string[],
): Promise<Position[]> {
  return db.query<Position>(sql`
    select (coalesce(c.wallet_micros, 0) + coalesce(s.wallet, 0))::bigint as "walletMicros",
      (coalesce(c.spent_micros, 0) + coalesce(s.spent, 0))::bigint as "spentMicros"
    from unnest(${[...floorIds]}::text[]) with ordinality as f (id, rank)
    left join lateral (
      select floor_id, wallet_micros, spent_micros from ledger_closings
      where account_id = ${accountId} and floor_id <= f.id
      order by floor_id desc limit 1) c on true
    cross join lateral (
      select sum(${SIGNED}) as wallet, sum(${SPENT}) as spent from ledger_transfers t
      where t.account_id = ${accountId} and t.id < f.id and t.id >= coalesce(c.floor_id, '')) s
    order by f.rank`)
}

/** The balance, and the amount spent since the ID. One statement, so the two are consistent. */
export async function findStanding(
  db: Queryable,
  accountId: AccountId,
  sinceId: string,
): Promise<{ balanceMicros: bigint; spentMicros: bigint }> {
  const [row] = await db.query<{ balanceMicros: bigint; spentMicros: bigint }>(sql`
    ${closingBelow(accountId, sinceId)}, before as (
      select ${POSITION_SUMS} from ledger_transfers t
      where t.account_id = ${accountId} and t.id < ${sinceId}
        and t.id >= coalesce((select floor_id from closing), '')
    )
    select wallet_micros as "balanceMicros", fees_micros + numbers_micros + messages_micros
      - (select "spentMicros" from before) as "spentMicros"
    from account_ledgers where account_id = ${accountId}`)
  return row!
}

/**
 * Stores the sum of all entries below the ID, if there are any since the last closing. Correct only if no
 * entry below it is still to be written.
 */
export async function insertClosing(
  db: Queryable,
  accountId: AccountId,
  floorId: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    ${closingBelow(accountId, floorId)}, closed as (
      insert into ledger_closings (account_id, floor_id, wallet_micros, spent_micros)
      select t.account_id, ${floorId}, ${POSITION_SUMS} from ledger_transfers t
      where t.account_id = ${accountId} and t.id < ${floorId}
        and t.id >= coalesce((select floor_id from closing), '')
      group by t.account_id
      on conflict (account_id, floor_id) do nothing
      returning 1
    ) select 1 from closed`)
  return rows.length > 0
}

function closingBelow(accountId: AccountId, floorId: string) {
  return piece`with closing as (
      select floor_id, wallet_micros, spent_micros from ledger_closings
      where account_id = ${accountId} and floor_id <= ${floorId}
      order by floor_id desc limit 1)`
}

const POSITION_SUMS = raw(`
  (coalesce((select wallet_micros from closing), 0) + coalesce(sum(${SIGNED.text}), 0))::bigint
    as "walletMicros",
  (coalesce((select spent_micros from closing), 0) + coalesce(sum(${SPENT.text}), 0))::bigint
    as "spentMicros"`)

/** Accounts in order of their IDs. A plain read across accounts. */
export async function listAccountsAfter(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const statement = sql`
    select account_id as "accountId" from account_ledgers where account_id > ${after}
    order by account_id limit ${limit}`
  const across = acrossAccounts(statement, { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}
