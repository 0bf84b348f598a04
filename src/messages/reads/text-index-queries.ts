// The index on message texts, one for each partition, and the search that uses it. It exists only with
// LONGCODE_TEXT_SEARCH=on. It has no parent index, because only a single partition can be indexed while others write.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Store } from '../../kit/postgres/db.js'
import { piece, raw, sql, unprepared } from '../../kit/postgres/sql.js'
import type { Message } from '../message.js'
import { MESSAGE_COLUMNS, rangeOf } from '../message-queries.js'
import { conditionsOf, type SearchFilter } from './search-queries.js'

/** Longer searches are left to the walk. */
const INDEX_MS_MAX = 1_000

export interface TextIndex {
  partition: string
  /** `failed`: a build was interrupted. PostgreSQL keeps its index, without using it. */
  state: 'absent' | 'building' | 'failed' | 'ready'
}

/** For each partition of messages. */
export async function listTextIndexes(db: Queryable): Promise<TextIndex[]> {
  return db.query<TextIndex>(sql`
    select c.relname as partition, case
      when x.indexrelid is null then 'absent' when x.indisvalid then 'ready'
      when exists (select from pg_stat_progress_create_index p where p.relid = c.oid) then 'building'
      else 'failed' end as state
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    left join pg_index x on x.indrelid = c.oid
      and x.indexrelid = to_regclass(quote_ident(c.relname || '_text'))
    where i.inhparent = 'messages'::regclass order by c.relname`)
}

/** Fails if the server does not have the extension, or our role may not create it. */
export async function createTrigrams(db: Queryable): Promise<void> {
  await db.query(unprepared(sql`create extension if not exists pg_trgm`))
}

/** While others write. The name of a partition comes from the catalog. */
export async function createTextIndex(db: Queryable, partition: string): Promise<void> {
  const [table, name] = [raw(quoted(partition)), raw(quoted(`${partition}_text`))]
  await db.query(
    unprepared(sql`
      create index concurrently if not exists ${name} on ${table} using gin (body gin_trgm_ops)`),
  )
}

export async function dropTextIndex(db: Queryable, partition: string): Promise<void> {
  const name = raw(quoted(`${partition}_text`))
  await db.query(unprepared(sql`drop index concurrently if exists ${name}`))
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Messages that match, newest first. Fails with database_busy after a second: PostgreSQL collects every message with
 * the text before it sorts them, so a common text takes long.
 */
export async function searchByIndex(
  db: Store,
  accountId: AccountId,
  filter: SearchFilter,
  { limit, after }: { limit: number; after: string | null },
): Promise<Message[]> {
  const { campaignId, phone } = filter
  const conditions = [
    ...(campaignId === null ? [] : [piece`campaign_id = ${campaignId}`]),
    ...(phone === null ? [] : [piece`(peer = ${phone} or number = ${phone})`]),
    ...conditionsOf(filter),
  ]
  const isWanted = conditions.reduce((all, one) => piece`${all} and ${one}`, piece`true`)
  const statement = sql`
    select ${MESSAGE_COLUMNS} from messages
    where account_id = ${accountId} ${rangeOf(filter, after)} and ${isWanted}
    order by id desc limit ${limit}`
  return db.transaction((tx) => tx.query<Message>(unprepared(statement)), {
    accountId,
    isCollecting: true,
    statementMs: INDEX_MS_MAX,
  })
}
