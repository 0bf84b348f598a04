// Every statement on the console_sessions table.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

interface StoredSession {
  secretHash: Buffer
  kind: 'session' | 'link'
  tokenHash: Buffer
  createdAt: Date
  expiresAt: Date
}

/** Ended sessions are deleted when a new one starts: there are few of them. */
export async function insertSession(db: Queryable, session: StoredSession): Promise<void> {
  const { secretHash, kind, tokenHash, createdAt, expiresAt } = session
  await db.query(sql`
    with ended as (delete from console_sessions where expires_at <= ${createdAt})
    insert into console_sessions (secret_hash, kind, token_hash, created_at, expires_at)
    values (${secretHash}, ${kind}, ${tokenHash}, ${createdAt}, ${expiresAt})`)
}

/** The token of a session; null if it has ended. */
export async function findSessionToken(
  db: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<Buffer | null> {
  const [row] = await db.query<{ tokenHash: Buffer }>(sql`
    select token_hash as "tokenHash" from console_sessions
    where secret_hash = ${secretHash} and kind = 'session' and expires_at > ${now}`)
  return row?.tokenHash ?? null
}

/** The tokens of these sessions, except ended ones. */
export async function listSessionTokens(
  db: Queryable,
  secretHashes: readonly Buffer[],
  now: Date,
): Promise<{ secretHash: Buffer; tokenHash: Buffer }[]> {
  return db.query(sql`
    select secret_hash as "secretHash", token_hash as "tokenHash" from console_sessions
    where secret_hash = any (${secretHashes}::bytea[]) and kind = 'session' and expires_at > ${now}`)
}

/** Deleted as it is found: if two people use a link at once, one gets it. */
export async function takeLink(
  db: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<Buffer | null> {
  const [row] = await db.query<{ tokenHash: Buffer }>(sql`
    delete from console_sessions
    where secret_hash = ${secretHash} and kind = 'link' and expires_at > ${now}
    returning token_hash as "tokenHash"`)
  return row?.tokenHash ?? null
}

export async function deleteSession(db: Queryable, secretHash: Buffer): Promise<void> {
  await db.query(sql`
    delete from console_sessions where secret_hash = ${secretHash} and kind = 'session'`)
}
