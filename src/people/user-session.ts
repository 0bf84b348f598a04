// Console sessions of people: a random secret that is stored as a hash. A session shows one account at a time. What it may
// do there is looked up with each request, so a changed role applies to the next one.

import { randomBytes } from 'node:crypto'
import type { AccountId } from '../accounts/account.js'
import { findAccountStatus } from '../accounts/account-queries.js'
import type { UserCaller, UserSessions } from '../accounts/authenticate.js'
import { scopesOfRole } from '../accounts/role.js'
import { SESSION_MS } from '../accounts/session.js'
import { hashToken } from '../accounts/token.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { listMemberships } from './membership-queries.js'
import type { UserId } from './user.js'
import { recordSeen } from './user-queries.js'
import {
  deleteSessionByHash,
  findSignedIn,
  insertUserSession,
  listLiveSessions,
  recordSessionUse,
  type SignedInUser,
} from './user-session-queries.js'

const USE_RECORDED_EVERY_MS = 60_000
const USER_AGENT_LENGTH_MAX = 300
const PREFIX = 'lcu_'

type SessionWorld = Pick<World, 'clock' | 'config'> & { db: Queryable }

export interface SessionStart {
  userId: UserId
  /** Signed in with more than a password. */
  isStrong: boolean
  address: string
  userAgent: string
  /** Which account it shows first. Default: the person's oldest. */
  accountId?: AccountId | null
  /** The secret of the session that it replaces, which ends. */
  replaces: string | null
}

export interface StartedSession {
  secret: string
  accountId: AccountId | null
}

/** Always a new secret: one that someone planted before the sign-in is worth nothing. */
export async function startUserSession(
  tx: Transaction,
  start: SessionStart,
  now: Date,
): Promise<StartedSession> {
  if (isUserSecret(start.replaces)) await deleteSessionByHash(tx, hashToken(start.replaces))
  const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`
  const [first] = await listMemberships(tx, [start.userId])
  const session = {
    id: newId('ses', now),
    userId: start.userId,
    accountId: start.accountId ?? first?.accountId ?? null,
    isStrong: start.isStrong,
    address: start.address,
    userAgent: start.userAgent.slice(0, USER_AGENT_LENGTH_MAX).toWellFormed(),
    createdAt: now,
    expiresAt: new Date(now.getTime() + SESSION_MS),
    lastUsedAt: now,
  }
  await insertUserSession(tx, session, hashToken(secret))
  await recordSeen(tx, start.userId, now)
  return { secret, accountId: session.accountId }
}

export function isUserSecret(secret: string | null): secret is string {
  return secret?.startsWith(PREFIX) === true
}

/** The person of a session; null if it has ended. */
export async function findSessionUser(
  { db, clock }: Pick<SessionWorld, 'db' | 'clock'>,
  secret: string,
): Promise<SignedInUser | null> {
  const now = clock.machineNow()
  const user = await findSignedIn(db, hashToken(secret), now)
  if (user && now.getTime() - user.lastUsedAt.getTime() >= USE_RECORDED_EVERY_MS) {
    // For information only: losing one must not fail the request.
    await recordSessionUse(db, user.sessionId, now).catch(() => {})
    await recordSeen(db, user.userId, now).catch(() => {})
  }
  return user
}

/** Refuses if the installation requires a second factor and this session had none. */
export function checkStrength(
  { isStrong }: Pick<SignedInUser, 'isStrong'>,
  config: Pick<World['config'], 'requiresSecondFactor'>,
): void {
  if (config.requiresSecondFactor && !isStrong) throw new Refusal('second_factor_required')
}

/** People as callers of the customer API, for accounts/authenticate.ts. */
export function createUserSessions(world: SessionWorld): UserSessions {
  const { db, clock, config } = world
  return {
    isUserSecret,
    findCaller: async (secret): Promise<UserCaller> => {
      const user = await findSessionUser(world, secret)
      if (!user) throw new Refusal('session_absent')
      checkStrength(user, config)
      const { accountId, role, userId, name } = user
      const accountStatus =
        role !== null && accountId !== null && (await findAccountStatus(db, accountId))
      if (!accountStatus) throw new Refusal('membership_absent')
      const scopes = [...scopesOfRole(role)]
      const person = { userId, name, role }
      const limits = { expiresAt: null, campaigns: null }
      return { id: userId, accountId, scopes, ...limits, accountStatus, person }
    },
    listLive: async (secrets) => {
      const hashes = secrets.map(hashToken)
      const live = await listLiveSessions(db, hashes, clock.machineNow())
      const admitted = live.filter(({ isStrong }) => isStrong || !config.requiresSecondFactor)
      const sessions = new Map(admitted.map((one) => [one.secretHash.toString('hex'), one]))
      return hashes.map((hash) => sessions.get(hash.toString('hex')) ?? null)
    },
  }
}
