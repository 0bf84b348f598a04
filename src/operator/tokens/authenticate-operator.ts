// From the Authorization header, or the console's session, to the operator. Operators are few and call seldom, so every request
// looks the token up: a revoked one stops at once.

import { timingSafeEqual } from 'node:crypto'
import { bearerToken } from '../../accounts/authenticate.js'
import { findSessionToken } from '../../accounts/session-queries.js'
import { hashToken } from '../../accounts/token.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
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

  /** Null: the token is unknown, expired or revoked. */
  const lookUp = async (hash: Buffer): Promise<Operator | null> => {
    // Not written to the database: who takes it out of the environment has revoked it.
    if (environmentHash && timingSafeEqual(hash, environmentHash)) {
      return { tokenId: ENVIRONMENT_TOKEN, name: ENVIRONMENT_TOKEN, expiresAt: null }
    }
    const now = clock.now()
    const token = await findLiveOperatorToken(db, hash, now)
    if (!token) return null
    const lastUsedMs = token.lastUsedAt?.getTime() ?? 0
    if (now.getTime() - lastUsedMs >= USE_RECORDED_EVERY_MS) {
      // A convenience for people: losing one must not fail the request.
      await recordOperatorTokenUse(db, token.id, now).catch(() => {})
    }
    return { tokenId: token.id, name: token.name, expiresAt: token.expiresAt }
  }

  return {
    authenticate: async (authorization) => {
      const operator = await lookUp(hashToken(bearerToken(authorization)))
      if (operator) return operator
      throw new Refusal('token_unknown', 'Operator token is unknown, expired or revoked')
    },
    authenticateSession: async (secret) => {
      const hash = await findSessionToken(db, hashToken(secret), clock.machineNow())
      const operator = hash && (await lookUp(hash))
      if (!operator) throw new Refusal('session_absent')
      return operator
    },
  }
}
