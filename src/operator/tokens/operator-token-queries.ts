// Every statement on the operator_tokens table.

import type { Page } from '../../kit/contract/schema.js'
import { isId } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import type { OperatorToken } from '../operator-token.js'

const COLUMNS = raw(`id, name, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt"`)

export async function insertOperatorToken(
  tx: Transaction,
  token: OperatorToken,
  hash: Buffer,
): Promise<void> {
  await tx.query(sql`
    insert into operator_tokens (token_hash, id, name, created_at, expires_at)
    values (${hash}, ${token.id}, ${token.name}, ${token.createdAt}, ${token.expiresAt})`)
}

/** Null for a token that is unknown, expired, or revoked. */
export async function findLiveOperatorToken(
  db: Queryable,
  hash: Buffer,
  now: Date,
): Promise<OperatorToken | null> {
  const [row] = await db.query<OperatorToken>(sql`
    select ${COLUMNS} from operator_tokens
    where token_hash = ${hash} and revoked_at is null
      and (expires_at is null or expires_at > ${now})`)
  return row ?? null
}

export async function listOperatorTokens(db: Queryable, page: Page): Promise<OperatorToken[]> {
  return db.query<OperatorToken>(sql`
    select ${COLUMNS} from operator_tokens
    where revoked_at is null and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** Null if the token does not exist or is already revoked. */
export async function revokeOperatorToken(
  tx: Transaction,
  id: string,
  now: Date,
): Promise<OperatorToken | null> {
  if (!isId('tok', id)) return null
  const [row] = await tx.query<OperatorToken>(sql`
    update operator_tokens set revoked_at = ${now}
    where id = ${id} and revoked_at is null returning ${COLUMNS}`)
  return row ?? null
}

export async function recordOperatorTokenUse(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query(sql`update operator_tokens set last_used_at = ${now} where id = ${id}`)
}
