// Every statement on files of messages: the bytes, stored once per content, and the public IDs of inbound files.

import type { AccountId } from '../accounts/account.js'
import { DAY_MS, HOUR_MS } from '../kit/clock.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'
import { addedPiece, removedPiece } from './media-totals-queries.js'

/** Longer than any carrier takes to fetch a file, and longer than its URL is valid. */
const UNUSED_MS = 48 * HOUR_MS
/** A file that a message still uses is checked again after this time. */
const POLL_AGAIN_MS = 30 * DAY_MS

/** Which file: the original if `bytesMax` is 0, else the version made to fit in that many bytes. */
export interface FileKey {
  accountId: AccountId
  hash: string
  bytesMax: number
}

export interface StoredFile {
  contentType: string
  content: Buffer
}

export interface NewFile extends FileKey, StoredFile {
  /** An upload expires. Null: it is no upload. */
  uploadedUntil: Date | null
  /** When to check whether it is still needed. */
  checkAt: Date
}

/** Storing the same content again only marks it as needed. */
export async function insertFile(
  db: Queryable,
  key: FileKey,
  file: StoredFile,
  now: Date,
): Promise<void> {
  await addFile(db, { ...key, ...file, uploadedUntil: null, checkAt: checkAt(now) }, now)
}

/** The same for an upload. */
export async function addFile(db: Queryable, file: NewFile, now: Date): Promise<void> {
  const { accountId, hash, bytesMax, contentType, content } = file
  // Twice only if it is deleted, or stored by someone else, between the two statements.
  while (!(await keepFile(db, file, now))) {
    const rows = await db.query(sql`
      with fresh as (
        insert into media_files
          (account_id, hash, bytes_max, content_type, content, used_at, look_at, uploaded_until)
        values (${accountId}, ${hash}, ${bytesMax}, ${contentType}, ${content}, ${now},
          ${file.checkAt}, ${file.uploadedUntil})
        on conflict (account_id, hash, bytes_max) do nothing
        returning octet_length(content) as bytes
      ), ${addedPiece(accountId, hash)}
      select 1 from fresh`)
    if (rows.length > 0) return
  }
}

async function keepFile(
  db: Queryable,
  { accountId, hash, bytesMax, uploadedUntil, checkAt: at }: NewFile,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update media_files f set used_at = ${now}, look_at = greatest(f.look_at, ${at}::timestamptz),
      uploaded_until = greatest(f.uploaded_until, ${uploadedUntil}::timestamptz)
    where f.account_id = ${accountId} and f.hash = ${hash} and f.bytes_max = ${bytesMax}
    returning 1`)
  return rows.length > 0
}

export async function hasFile(
  db: Queryable,
  { accountId, hash, bytesMax }: FileKey,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from media_files
    where account_id = ${accountId} and hash = ${hash} and bytes_max = ${bytesMax}`)
  return rows.length > 0
}

/** Whether it exists. If so, it is marked as needed. */
export async function touchFile(
  db: Queryable,
  { accountId, hash, bytesMax }: FileKey,
  now: Date,
): Promise<{ contentType: string; bytes: number } | null> {
  const [row] = await db.query<{ contentType: string; bytes: number }>(sql`
    update media_files f set used_at = ${now}, look_at = greatest(f.look_at, ${checkAt(now)}::timestamptz)
    where f.account_id = ${accountId} and f.hash = ${hash} and f.bytes_max = ${bytesMax}
    returning content_type as "contentType", octet_length(content) as bytes`)
  return row ?? null
}

function checkAt(now: Date): Date {
  return new Date(now.getTime() + UNUSED_MS)
}

/** Bytes arrive as text and are parsed by this thread, which also has requests to serve. */
const PORTION_BYTES = 512 * 1024

/** In portions, because a whole photo at once would block everything else. */
export async function findFile(
  db: Queryable,
  { accountId, hash, bytesMax }: FileKey,
): Promise<StoredFile | null> {
  const portions: Buffer[] = []
  for (let at = 0; ; at += PORTION_BYTES) {
    const [row] = await db.query<StoredFile & { bytes: number }>(sql`
      select content_type as "contentType", octet_length(content) as bytes,
        substring(content from ${at + 1}::int for ${PORTION_BYTES}::int) as content
      from media_files
      where account_id = ${accountId} and hash = ${hash} and bytes_max = ${bytesMax}`)
    if (!row) return null
    portions.push(row.content)
    if (at + PORTION_BYTES < row.bytes) continue
    const content = portions.length === 1 ? row.content : Buffer.concat(portions)
    return { contentType: row.contentType, content }
  }
}

export interface NewMedia {
  id: string
  accountId: AccountId
  messageId: string
  hash: string
  contentType: string
}

const NO_BYTES = Buffer.alloc(0)

/** An inbound file, by the ID of its public URL. Its bytes are in media_files. */
export async function insertMedia(db: Queryable, media: NewMedia, now: Date): Promise<void> {
  await db.query(sql`
    insert into media (id, account_id, message_id, content_type, content, hash, created_at)
    values (${media.id}, ${media.accountId}, ${media.messageId}, ${media.contentType}, ${NO_BYTES},
      ${media.hash}, ${now})`)
}

interface MediaRow extends StoredFile {
  id: string
  accountId: AccountId
  messageId: string
  /** Null: the bytes are stored. */
  hash: string | null
}

export async function findMedia(db: Queryable, id: string): Promise<StoredFile | null> {
  const [row] = await db.query<MediaRow>(sql`
    select account_id as "accountId", hash, content_type as "contentType", content
    from media where id = ${id}`)
  return row ? withBytes(db, row) : null
}

async function withBytes<Row extends Pick<MediaRow, 'accountId' | 'hash' | 'content'>>(
  db: Queryable,
  row: Row,
): Promise<Row | null> {
  const { accountId, hash } = row
  if (hash === null) return row
  const file = await findFile(db, { accountId, hash, bytesMax: 0 })
  return file && { ...row, content: file.content }
}

export interface ListedMedia extends StoredFile {
  id: string
  messageId: string
}

/** The files of one inbound message. */
export async function listMedia(
  db: Queryable,
  accountId: AccountId,
  messageId: string,
): Promise<ListedMedia[]> {
  const rows = await db.query<MediaRow>(sql`
    select id, account_id as "accountId", message_id as "messageId", hash,
      content_type as "contentType", content
    from media where account_id = ${accountId} and message_id = ${messageId} order by id`)
  const whole = await Promise.all(rows.map((row) => withBytes(db, row)))
  return whole.flatMap((row) => {
    if (!row) return []
    const { id, contentType, content } = row
    return [{ id, messageId, contentType, content }]
  })
}

/** The types of the files of inbound messages, by ID. Those still at the carrier are missing. */
export async function listMediaTypes(
  db: Queryable,
  accountId: AccountId,
  messageIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; contentType: string }>(sql`
    select id, content_type as "contentType" from media
    where account_id = ${accountId} and message_id = any (${messageIds}::text[])`)
  return new Map(rows.map(({ id, contentType }) => [id, contentType]))
}

/**
 * Removes one file of a message. False if the message is still to be sent, or if the file at this position is another
 * one by now.
 */
export async function removeMedia(
  db: Queryable,
  { accountId, messageId, id }: Pick<NewMedia, 'accountId' | 'messageId' | 'id'>,
  { position, url }: { position: number; url: string },
  now: Date,
): Promise<boolean> {
  const changed = await db.query(sql`
    update messages set media_urls = media_urls - ${position}::int
    where account_id = ${accountId} and id = ${messageId} and due_at is null and status <> 'QUEUED'
      and media_urls ->> ${position}::int = ${url}
    returning 1`)
  if (changed.length === 0) return false
  const rows = await db.query<{ hash: string | null }>(sql`
    delete from media where account_id = ${accountId} and message_id = ${messageId} and id = ${id}
    returning hash`)
  await releaseFiles(db, accountId, hashesOf(rows), now)
  return true
}

/** Deletes the bytes that no message uses anymore, unless they were needed again. */
export async function releaseFiles(
  db: Queryable,
  accountId: AccountId,
  hashes: readonly string[],
  usedBefore: Date,
): Promise<void> {
  const free = await findFree(db, accountId, hashes)
  if (free.length === 0) return
  await db.query(sql`
    with gone as (
      delete from media_files
      where account_id = ${accountId} and hash = any (${free}::text[]) and used_at < ${usedBefore}
        and (uploaded_until is null or uploaded_until < ${usedBefore})
      returning octet_length(content) as bytes
    ), ${removedPiece(accountId)}
    select 1 from gone`)
}

/** Also deletes the bytes that no other message uses. */
export async function deleteMediaOf(
  db: Queryable,
  accountId: AccountId,
  messageIds: readonly string[],
  usedBefore: Date,
): Promise<void> {
  const rows = await db.query<{ hash: string | null }>(sql`
    delete from media where account_id = ${accountId} and message_id = any (${messageIds}::text[])
    returning hash`)
  await releaseFiles(db, accountId, hashesOf(rows), usedBefore)
  await db.query(sql`
    delete from media_fetches
    where account_id = ${accountId} and message_id = any (${messageIds}::text[])`)
}

export function hashesOf(rows: readonly { hash: string | null }[]): string[] {
  return [...new Set(rows.flatMap(({ hash }) => hash ?? []))]
}

/** Pending fetches of messages in this range of IDs. */
export async function deleteFetchesOf(
  db: Queryable,
  accountId: AccountId,
  { after, last }: { after: string; last: string },
): Promise<void> {
  await db.query(sql`
    delete from media_fetches
    where account_id = ${accountId} and message_id > ${after} and message_id <= ${last}`)
}

/** Files that no message uses. */
async function findFree(
  db: Queryable,
  accountId: AccountId,
  hashes: readonly string[],
): Promise<string[]> {
  if (hashes.length === 0) return []
  const rows = await db.query<{ hash: string }>(sql`
    select distinct hash from media
    where account_id = ${accountId} and hash = any (${hashes}::text[])`)
  const used = new Set(rows.map(({ hash }) => hash))
  return hashes.filter((hash) => !used.has(hash))
}

/** Accounts with files that are due for a check. A plain read across accounts. */
export async function findFilesToCheck(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<FileKey[]> {
  const statement = sql`
    select account_id as "accountId", hash, bytes_max as "bytesMax", look_at as "checkAt"
    from media_files where look_at <= ${now} order by look_at limit ${limit}`
  return db.query<FileKey>(acrossAccounts(statement, { order: ['checkAt'], limit }))
}

/** Of one account: deletes files that no message uses, and checks the rest again much later. */
export async function purgeFiles(
  db: Queryable,
  accountId: AccountId,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  const free = await findFree(db, accountId, hashes)
  const used = hashes.filter((hash) => !free.includes(hash))
  await db.query(sql`
    with gone as (
      delete from media_files
      where account_id = ${accountId} and hash = any (${free}::text[]) and look_at <= ${now}
      returning octet_length(content) as bytes
    ), ${removedPiece(accountId)}
    select 1 from gone`)
  await db.query(sql`
    update media_files set look_at = ${new Date(now.getTime() + POLL_AGAIN_MS)}
    where account_id = ${accountId} and hash = any (${used}::text[]) and look_at <= ${now}`)
}

/** The first process's key. If several start at once, one key is stored, and all of them read it. */
export async function keepMediaKey(db: Queryable, fresh: Buffer): Promise<Buffer> {
  await db.query(sql`
    insert into media_secret (bytes) values (${fresh}) on conflict (only_row) do nothing`)
  const [row] = await db.query<{ bytes: Buffer }>(sql`select bytes from media_secret`)
  return row!.bytes
}
