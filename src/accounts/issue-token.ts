// Tokens given out and taken back, by a customer or by an operator for them: each with its entry in the
// audit log.

import { readTime } from '../kit/contract/iso-time.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { isId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { AccountId } from './account.js'
import type { Actor } from './audit.js'
import { recordAct } from './audit-queries.js'
import { createToken, type NewToken } from './create-account.js'
import { systemOf } from './smpp-system.js'
import type { Token } from './token.js'
import { revokeToken } from './token-queries.js'

/** The text is in this answer and nowhere else. */
export async function issueToken(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  wanted: NewToken,
  now: Date,
): Promise<{ token: Token; text: string }> {
  const issued = await createToken(tx, accountId, wanted, now)
  const { id, name, scopes, expiresAt } = issued.token
  const after = { name, scopes, expiresAt, ...(wanted.smpp && { smpp: systemOf(wanted.smpp) }) }
  await recordAct(
    tx,
    actor,
    { act: 'token.create', accountId, subject: id, before: null, after },
    now,
  )
  return issued
}

/**
 * When a wanted token ends: never after the token that asks for it, or an expiry could be undone by
 * whoever holds the token.
 */
export function readExpiry(text: string | undefined, now: Date, ownEnd: Date | null): Date | null {
  if (text === undefined) return ownEnd
  const expiresAt = readTime('expiresAt', text)
  if (expiresAt <= now) throw fieldRefusal('expiresAt', 'must be in the future')
  if (ownEnd && expiresAt > ownEnd) {
    throw fieldRefusal(
      'expiresAt',
      `must be at most ${ownEnd.toISOString()}, when the calling token ends`,
    )
  }
  return expiresAt
}

export async function revokeIssuedToken(
  tx: Transaction,
  actor: Actor,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<void> {
  const isGone = isId('tok', id) && (await revokeToken(tx, accountId, id, now))
  if (!isGone) throw new Refusal('token_missing')
  const act = { act: 'token.revoke', accountId, subject: id, before: null } as const
  await recordAct(tx, actor, { ...act, after: { revokedAt: now } }, now)
}
