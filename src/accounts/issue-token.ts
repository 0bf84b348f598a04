// Issues and revokes tokens, for customers and for operators acting for them. Each action is recorded in the
// audit log.

import { readTime } from '../kit/contract/iso-time.js'
import { echo, fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { isId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { AccountId } from './account.js'
import type { Actor } from './audit.js'
import { recordAct } from './audit-queries.js'
import { createToken, type NewToken } from './create-account.js'
import { systemOf } from './smpp-system.js'
import type { Token } from './token.js'
import { listTokensNamed, revokeCreatedBy, revokeToken } from './token-queries.js'

/** The only place with the token's text. */
export async function issueToken(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  request: NewToken,
  now: Date,
): Promise<{ token: Token; text: string }> {
  const issued = await createToken(tx, accountId, request, now)
  const { id, name, scopes, expiresAt, campaigns } = issued.token
  const limited = campaigns && { campaigns }
  const after = {
    name,
    scopes,
    expiresAt,
    ...limited,
    ...(request.smpp && { smpp: systemOf(request.smpp) }),
  }
  await recordAct(
    tx,
    actor,
    { act: 'token.create', accountId, subject: id, before: null, after },
    now,
  )
  return issued
}

/** A new token never expires after its creator. Otherwise anyone with a token could undo its expiry. */
export function readExpiry(text: string | undefined, now: Date, ownEnd: Date | null): Date | null {
  if (text === undefined) return ownEnd
  const expiresAt = readTime('expiresAt', text)
  if (expiresAt <= now) throw fieldRefusal('expiresAt', 'must be in the future')
  if (ownEnd && expiresAt > ownEnd) {
    throw fieldRefusal(
      'expiresAt',
      `must be at most ${ownEnd.toISOString()}, when your token expires`,
    )
  }
  return expiresAt
}

/** Every token was created by one of the level above, so this ends. No account has chains this long. */
const LEVELS_MAX = 100

/**
 * Revokes a token and all tokens it created, directly or indirectly. `keep` lists tokens, by ID or name, that
 * stay valid together with those they created. Returns the other tokens that were revoked.
 */
export async function revokeIssuedToken(
  tx: Transaction,
  actor: Actor,
  { accountId, id, keep = [] }: { accountId: AccountId; id: string; keep?: readonly string[] },
  now: Date,
): Promise<string[]> {
  const kept = await findKept(tx, accountId, keep)
  const isGone = isId('tok', id) && (await revokeToken(tx, accountId, id, now))
  if (!isGone) throw new Refusal('token_missing')
  const others: string[] = []
  for (let creators = [id], level = 0; creators.length > 0 && level < LEVELS_MAX; level += 1) {
    creators = await revokeCreatedBy(tx, accountId, { creators, kept }, now)
    others.push(...creators)
  }
  const act = { act: 'token.revoke', accountId, before: null } as const
  await recordAct(tx, actor, { ...act, subject: id, after: { revokedAt: now } }, now)
  for (const subject of others) {
    const after = { revokedAt: now, because: id }
    await recordAct(tx, actor, { ...act, subject, after }, now)
  }
  return others
}

async function findKept(
  tx: Transaction,
  accountId: AccountId,
  keep: readonly string[],
): Promise<string[]> {
  if (keep.length === 0) return []
  const found = await listTokensNamed(tx, accountId, keep)
  const unknown = keep.find((text) => !found.some(({ id, name }) => id === text || name === text))
  if (unknown !== undefined) {
    throw fieldRefusal('keep', `has an unknown token of this account: ${echo(unknown, 100)}`)
  }
  return found.map(({ id }) => id)
}
