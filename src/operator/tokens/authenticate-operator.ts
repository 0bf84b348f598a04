// Finds the operator from the Authorization header or the console session. Operators are few and send few requests, so
// every request looks up the token, and a revoked one stops working immediately.

import { timingSafeEqual } from 'node:crypto'
import { bearerToken } from '../../accounts/authenticate.js'
import { findSessionToken } from '../../accounts/session-queries.js'
import { hashToken } from '../../accounts/token.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { checkStrength, findSessionUser, isUserSecret } from '../../people/user-session.js'
import type { SignedInUser } from '../../people/user-session-queries.js'
import { ENVIRONMENT_TOKEN, type Operator } from '../operator-token.js'
import { findLiveOperatorToken, recordOperatorTokenUse } from './operator-token-queries.js'

const USE_RECORDED_EVERY_MS = 60_000

export interface OperatorAuthenticator {
  authenticate: (authorization: string | undefined) => Promise<Operator>
  authenticateSession: (secret: string) => Promise<Operator>
}

export function createOperatorAuthenticator(
  world: Pick<World, 'db' | 'clock' | 'config'>,
): OperatorAuthenticator {
  const { db, clock, config } = world
  const environmentHash = config.operatorToken === null ? null : hashToken(config.operatorToken)

  /** Null: the token is unknown, expired, or revoked. */
  const lookUp = async (hash: Buffer): Promise<Operator | null> => {
    // Never stored in the database. To revoke it, remove it from the environment.
    if (environmentHash && timingSafeEqual(hash, environmentHash)) {
      const name = ENVIRONMENT_TOKEN
      return { tokenId: name, name, expiresAt: null, role: 'operator' }
    }
    const now = clock.now()
    const token = await findLiveOperatorToken(db, hash, now)
    if (!token) return null
    const lastUsedMs = token.lastUsedAt?.getTime() ?? 0
    if (now.getTime() - lastUsedMs >= USE_RECORDED_EVERY_MS) {
      // Only informational: if it is lost, the request must not fail.
      await recordOperatorTokenUse(db, token.id, now).catch(() => {})
    }
    const { id: tokenId, name, expiresAt } = token
    return { tokenId, name, expiresAt, role: 'operator' }
  }

  const operatorOf = (user: SignedInUser | null): Operator => {
    if (!user) throw new Refusal('session_absent')
    checkStrength(user, config)
    const { userId: tokenId, name, installationRole: role } = user
    if (role === null) {
      throw new Refusal('role_absent', 'You have no role for this installation. Ask an operator.')
    }
    return { tokenId, name, expiresAt: null, role }
  }

  return {
    authenticate: async (authorization) => {
      const operator = await lookUp(hashToken(bearerToken(authorization)))
      if (operator) return operator
      throw new Refusal('token_unknown', 'Operator token is unknown, expired, or revoked')
    },
    authenticateSession: async (secret) => {
      if (isUserSecret(secret)) return operatorOf(await findSessionUser(world, secret))
      const hash = await findSessionToken(db, hashToken(secret), clock.machineNow())
      const operator = hash && (await lookUp(hash))
      if (!operator) throw new Refusal('session_absent')
      return operator
    },
  }
}
