// Statements on the uploads among media_files: files that a customer stored for later messages.

import type { AccountId } from '../../accounts/account.js'
import { HOUR_MS } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { addFile, type StoredFile } from '../media-queries.js'

/** A message that was accepted just before the upload expired may be sent up to two days later. */
const AFTER_EXPIRY_MS = 48 * HOUR_MS

export interface NewUpload extends StoredFile {
  accountId: AccountId
  hash: string
  until: Date
}

/** Storing the same content again only extends its expiry. */
export async function insertUpload(db: Queryable, upload: NewUpload, now: Date): Promise<void> {
  const { until, ...file } = upload
  const checkAt = new Date(until.getTime() + AFTER_EXPIRY_MS)
  await addFile(db, { ...file, bytesMax: 0, uploadedUntil: until, checkAt }, now)
}

/** The size of the account's valid uploads, without the one about to be stored. */
export async function sumUploads(
  db: Queryable,
  { accountId, hash }: { accountId: AccountId; hash: string },
  now: Date,
): Promise<{ files: number; bytes: number }> {
  const [row] = await db.query<{ files: number; bytes: number }>(sql`
    select count(*)::int as files, coalesce(sum(octet_length(content)), 0)::float8 as bytes
    from media_files
    where account_id = ${accountId} and uploaded_until > ${now} and hash <> ${hash}`)
  return row!
}
