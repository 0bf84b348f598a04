// A console sign-in. A session acts with a token of an account or an operator and ends with it. A link
// creates one session, once. Both are secrets that are stored only as a hash.

import { randomBytes } from 'node:crypto'
import { type Clock, DAY_MS } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { deleteSession, insertSession, takeLink } from './session-queries.js'
import { hashToken } from './token.js'

export const SESSION_MS = 7 * DAY_MS
const LINK_MS = 10 * 60 * 1000

export interface ConsoleSession {
  secret: string
  expiresAt: Date
}

/** Sessions use real time: moving the test clock must not sign anyone out. */
export async function startSession(
  db: Queryable,
  clock: Clock,
  tokenHash: Buffer,
): Promise<ConsoleSession> {
  return insertSecret(db, clock, { kind: 'session', tokenHash, lastsMs: SESSION_MS })
}

/** The code in the one-time sign-in link. */
export async function makeLinkCode(
  db: Queryable,
  clock: Clock,
  tokenHash: Buffer,
): Promise<string> {
  return (await insertSecret(db, clock, { kind: 'link', tokenHash, lastsMs: LINK_MS })).secret
}

/** The token of the link, which is then used up. */
export async function redeemLink(db: Queryable, clock: Clock, code: string): Promise<Buffer> {
  const tokenHash = await takeLink(db, hashToken(code), clock.machineNow())
  if (!tokenHash) throw new Refusal('link_used')
  return tokenHash
}

export async function endSession(db: Queryable, secret: string): Promise<void> {
  await deleteSession(db, hashToken(secret))
}

interface NewSecret {
  kind: 'session' | 'link'
  tokenHash: Buffer
  lastsMs: number
}

async function insertSecret(
  db: Queryable,
  clock: Clock,
  options: NewSecret,
): Promise<ConsoleSession> {
  const { kind, tokenHash, lastsMs } = options
  const secret = `lcs_${randomBytes(32).toString('base64url')}`
  const createdAt = clock.machineNow()
  const expiresAt = new Date(createdAt.getTime() + lastsMs)
  await insertSession(db, { secretHash: hashToken(secret), kind, tokenHash, createdAt, expiresAt })
  return { secret, expiresAt }
}
