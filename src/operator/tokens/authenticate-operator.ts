// From the Authorization header to the operator. Operators are few and call seldom, so every request
// looks the token up: a revoked one stops at once.

import { timingSafeEqual } from 'node:crypto'
import { bearerToken } from '../../accounts/authenticate.js'
import { hashToken } from '../../accounts/token.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { ENVIRONMENT_TOKEN, type Operator } from '../operator-token.js'
import { findLiveOperatorToken, recordOperatorTokenUse } from './operator-token-queries.js'

const USE_RECORDED_EVERY_MS = 60_000

export interface OperatorAuthenticator {
  authenticate: (authorization: string | undefined) => Promise<Operator>
}

export function createOperatorAuthenticator(
  world: Pick<World, 'db' | 'clock' | 'config'>,
): OperatorAuthenticator {
  const { db, clock, config } = world
  const environmentHash = config.operatorToken === null ? null : hashToken(config.operatorToken)

  return {
    authenticate: async (authorization) => {
      const hash = hashToken(bearerToken(authorization))
      // Not written to the database: who takes it out of the environment has revoked it.
      if (environmentHash && timingSafeEqual(hash, environmentHash)) {
        return { tokenId: ENVIRONMENT_TOKEN, name: ENVIRONMENT_TOKEN, expiresAt: null }
      }
      const now = clock.now()
      const token = await findLiveOperatorToken(db, hash, now)
      if (!token) {
        throw new Refusal('token_unknown', 'Operator token is unknown, expired or revoked')
      }
      const lastUsedMs = token.lastUsedAt?.getTime() ?? 0
      if (now.getTime() - lastUsedMs >= USE_RECORDED_EVERY_MS) {
        // A convenience for people: losing one must not fail the request.
        await recordOperatorTokenUse(db, token.id, now).catch(() => {})
      }
      return { tokenId: token.id, name: token.name, expiresAt: token.expiresAt }
    },
  }
}
