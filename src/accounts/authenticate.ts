// Finds the caller from the Authorization header or the console's session. Token lookups are cached for two
// seconds, so a revoked token stops working well within the promised five, on every node, without a query per
// request.

import { Cache } from '../kit/cache.js'
import type { Clock } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { AccountId, Caller, Person } from './account.js'
import { listInactive } from './account-queries.js'
import type { AccountRole } from './role.js'
import { findSessionToken, listSessionTokens } from './session-queries.js'
import { hashToken } from './token.js'
import { findLiveToken, type LiveToken, listLiveHashes, recordTokenUse } from './token-queries.js'

const KEPT_MS = 2_000
const KEPT_MAX = 10_000
const USE_RECORDED_EVERY_MS = 60_000

export interface Authenticator {
  /** The caller if cached; null if the token must be looked up. */
  peek: (authorization: string | undefined) => Caller | null
  authenticate: (authorization: string | undefined, options?: AdmitOptions) => Promise<Caller>
  /** Never cached: people make few requests, and signing out takes effect immediately. */
  authenticateSession: (secret: string, options?: AdmitOptions) => Promise<Caller>
  /**
   * Whether these credentials are still valid, in order, for work that continues after its request was
   * admitted.
   */
  listLive: (shown: readonly Shown[]) => Promise<boolean[]>
}

export interface AdmitOptions {
  admitsSuspended?: boolean
}

/** A request's credentials: the token in its Authorization header, otherwise the secret of a session. */
interface Shown {
  authorization: string | undefined
  session: string | null
  /** Who was admitted with them. A person with another account or role since then is not valid. */
  caller: Pick<Caller, 'accountId' | 'person'>
}

/** A person, found by the secret of a session. */
export type UserCaller = LiveToken & { person: Person }

interface Membership {
  accountId: AccountId
  role: AccountRole
}

/** People, who are another module's business. Their secrets differ from those of sessions with a token. */
export interface UserSessions {
  isUserSecret: (secret: string | null) => secret is string
  /** Refuses if the session has ended, or the person has no role in its account. */
  findCaller: (secret: string) => Promise<UserCaller>
  /** The account and role of each session; null if it has ended. */
  listLive: (secrets: readonly string[]) => Promise<(Membership | null)[]>
}

export function createAuthenticator(
  db: Queryable,
  clock: Clock,
  users: UserSessions,
): Authenticator {
  const tokens = new Cache<string, LiveToken | null>({ max: KEPT_MAX, keptMs: KEPT_MS })
  const usesRecorded = new Cache<string, true>({ max: KEPT_MAX, keptMs: USE_RECORDED_EVERY_MS })

  /** Null: the token is unknown, expired, or revoked. */
  const lookUp = (text: string): Promise<LiveToken | null> =>
    findLiveToken(db, hashToken(text), clock.now())

  /** Null: the session or its token has ended. */
  const lookUpSession = async (secret: string): Promise<LiveToken | null> => {
    const hash = await findSessionToken(db, hashToken(secret), clock.machineNow())
    return hash && findLiveToken(db, hash, clock.now())
  }

  const noteUse = (token: LiveToken): void => {
    if (usesRecorded.peek(token.id)) return
    usesRecorded.set(token.id, true)
    // For information only: losing one must not fail the request.
    recordTokenUse(db, token, clock.now()).catch(() => {})
  }

  const admit = (
    token: LiveToken | UserCaller | null,
    { admitsSuspended }: AdmitOptions = {},
  ): Caller => {
    if (!token) throw new Refusal('token_unknown')
    const isSuspended = token.accountStatus === 'SUSPENDED'
    const isAdmitted = token.accountStatus === 'ACTIVE' || (isSuspended && admitsSuspended)
    if (!isAdmitted) throw new Refusal('account_suspended')
    const person = 'person' in token ? { person: token.person } : null
    if (!person) noteUse(token)
    const { accountId, id: tokenId, scopes, expiresAt, campaigns } = token
    const caller = { accountId, tokenId, scopes, expiresAt, campaigns, ...person }
    return isSuspended ? { ...caller, isSuspended } : caller
  }

  return {
    // Returns no promise: most tokens are cached, and a promise per request would cost more than the lookup.
    peek: (authorization) => {
      const text = findBearer(authorization)
      const token = text === null ? null : tokens.peek(text)
      return token?.accountStatus === 'ACTIVE' ? admit(token) : null
    },
    authenticate: async (authorization, options) => {
      const text = bearerToken(authorization)
      return admit(await tokens.get(text, lookUp), options)
    },
    authenticateSession: async (secret, options) => {
      if (users.isUserSecret(secret)) return admit(await users.findCaller(secret), options)
      const token = await lookUpSession(secret)
      if (!token) throw new Refusal('session_absent')
      return admit(token, options)
    },
    listLive: async (shown) => {
      const isUser = shown.map(
        ({ authorization, session }) => !findBearer(authorization) && users.isUserSecret(session),
      )
      const hashes = await tokenHashes(
        db,
        clock,
        shown.filter((_, i) => !isUser[i]),
      )
      const ofTokens = await accountsOfTokens(db, clock, hashes)
      const ofUsers = await accountsOfUsers(
        users,
        shown.filter((_, i) => isUser[i]),
      )
      const accounts = isUser.map((is) => (is ? ofUsers : ofTokens).shift() ?? null)
      const accountIds = [...new Set(accounts.filter((id) => id !== null))]
      // A database that does not respond proves nothing about an account.
      const ended = accountIds.length > 0 ? await listInactive(db, accountIds).catch(() => []) : []
      return accounts.map((id) => id !== null && !ended.includes(id))
    },
  }
}

/** The account of each session whose account and role are still those that were admitted; null for the others. */
async function accountsOfUsers(
  users: UserSessions,
  shown: readonly Shown[],
): Promise<(AccountId | null)[]> {
  if (shown.length === 0) return []
  const live = await users.listLive(shown.map(({ session }) => session!))
  return shown.map(({ caller: { accountId, person } }, i) => {
    const now = live[i]
    return now?.accountId === accountId && now.role === person?.role ? accountId : null
  })
}

/** The account of each valid token; null for the others. */
async function accountsOfTokens(
  db: Queryable,
  clock: Clock,
  hashes: readonly (Buffer | null)[],
): Promise<(AccountId | null)[]> {
  const stated = hashes.filter((hash) => hash !== null)
  const live = stated.length > 0 ? await listLiveHashes(db, stated, clock.now()) : []
  const accountOf = new Map(live.map(({ hash, accountId }) => [hash.toString('hex'), accountId]))
  return hashes.map((hash) => (hash && accountOf.get(hash.toString('hex'))) || null)
}

/** The tokens behind the credentials; null if a session has ended. */
async function tokenHashes(
  db: Queryable,
  clock: Clock,
  shown: readonly Shown[],
): Promise<(Buffer | null)[]> {
  const secrets = shown.flatMap(({ authorization, session }) =>
    session && !findBearer(authorization) ? [hashToken(session)] : [],
  )
  const sessions =
    secrets.length > 0 ? await listSessionTokens(db, secrets, clock.machineNow()) : []
  const tokenOf = new Map(
    sessions.map(({ secretHash, tokenHash }) => [secretHash.toString('hex'), tokenHash]),
  )
  return shown.map(({ authorization, session }) => {
    const text = findBearer(authorization)
    if (text) return hashToken(text)
    return (session && tokenOf.get(hashToken(session).toString('hex'))) || null
  })
}

function findBearer(authorization: string | undefined): string | null {
  if (!authorization) return null
  return /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization)?.[1] ?? null
}

export function bearerToken(authorization: string | undefined): string {
  const text = findBearer(authorization)
  if (text === null) throw new Refusal('token_absent')
  return text
}
