// Tokens of operators: like the access tokens of accounts, but of a kind of their own, so that neither
// is ever taken for the other. The first one comes from the environment and is kept nowhere.

import { randomBytes } from 'node:crypto'
import type { Actor } from '../accounts/audit.js'

const OPERATOR_TOKEN_PREFIX = 'lco_'

/** Stands for LONGCODE_OPERATOR_TOKEN in the audit log: it has no row and thus no id. */
export const ENVIRONMENT_TOKEN = 'LONGCODE_OPERATOR_TOKEN'

export interface OperatorToken {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** An operator, as one token shows them. */
export interface Operator {
  tokenId: string
  name: string
  /** When the token ends; null: never. */
  expiresAt: Date | null
}

export function makeOperatorTokenText(): string {
  return `${OPERATOR_TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`
}

/** The operator of a request, as the audit log names them. */
export function actorOf(request: { operator: Operator; ip: string; id: string }): Actor {
  const { tokenId, name } = request.operator
  return { kind: 'operator', id: tokenId, name, origin: request.ip, requestId: request.id }
}
