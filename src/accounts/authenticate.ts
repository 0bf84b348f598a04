// From the Authorization header to the caller. Answers are kept for two seconds, so a revoked token
// stops well within the five that we promise, on every node, without a query per request.

import type { Clock } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Caller } from './account.js'
import { hashToken } from './token.js'
import { findLiveToken, type LiveToken, recordTokenUse } from './token-queries.js'

const KEPT_MS = 2_000
const KEPT_MAX = 10_000
const USE_RECORDED_EVERY_MS = 60_000

interface Kept {
  /** Null: the token is unknown, expired or revoked. */
  token: LiveToken | null
  until: number
}

export interface Authenticator {
  /** The caller where a good answer is kept; null where the token has to be looked at closely. */
  recall: (authorization: string | undefined) => Caller | null
  authenticate: (authorization: string | undefined) => Promise<Caller>
}

export function createAuthenticator(db: Queryable, clock: Clock): Authenticator {
  const kept = new Map<string, Kept>()
  const useRecordedAt = new Map<string, number>()

  const lookUp = async (text: string): Promise<LiveToken | null> => {
    const token = await findLiveToken(db, hashToken(text), clock.now())
    if (kept.size >= KEPT_MAX) kept.clear()
    kept.set(text, { token, until: performance.now() + KEPT_MS })
    return token
  }

  const noteUse = (text: string, token: LiveToken): void => {
    const nowMs = performance.now()
    const last = useRecordedAt.get(token.id)
    if (last !== undefined && nowMs - last < USE_RECORDED_EVERY_MS) return
    if (useRecordedAt.size >= KEPT_MAX) useRecordedAt.clear()
    useRecordedAt.set(token.id, nowMs)
    // A convenience for people: losing one must not fail the request.
    recordTokenUse(db, hashToken(text), clock.now()).catch(() => {})
  }

  const admit = (text: string, token: LiveToken | null): Caller => {
    if (!token) throw new Refusal('token_unknown')
    if (token.accountStatus !== 'ACTIVE') throw new Refusal('account_suspended')
    noteUse(text, token)
    const { accountId, id: tokenId, scopes, expiresAt } = token
    return { accountId, tokenId, scopes, expiresAt }
  }

  const findKept = (text: string): Kept | undefined => {
    const known = kept.get(text)
    return known && known.until > performance.now() ? known : undefined
  }

  return {
    // Without a promise: most tokens are known, and one per request would cost more than the look.
    recall: (authorization) => {
      const text = findBearer(authorization)
      const token = text === null ? null : findKept(text)?.token
      return token?.accountStatus === 'ACTIVE' ? admit(text!, token) : null
    },
    authenticate: async (authorization) => {
      const text = bearerToken(authorization)
      const known = findKept(text)
      return admit(text, known ? known.token : await lookUp(text))
    },
  }
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
