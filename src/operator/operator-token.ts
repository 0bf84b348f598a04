// Operator tokens: like access tokens of accounts, but with another prefix, so neither can be used as the other. The
// first one comes from the environment and is never stored.

import { randomBytes } from 'node:crypto'
import type { Actor } from '../accounts/audit.js'
import type { InstallationRole } from '../people/user.js'

const OPERATOR_TOKEN_PREFIX = 'lco_'

/** LONGCODE_OPERATOR_TOKEN in the audit log: it has no row and therefore no id. */
export const ENVIRONMENT_TOKEN = 'LONGCODE_OPERATOR_TOKEN'

export interface OperatorToken {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** An operator, identified by a token, or a person with a role for the installation. */
export interface Operator {
  /** The token, or the ID of the person. */
  tokenId: string
  name: string
  /** Tokens have the role `operator`. */
  role: InstallationRole
  /** When the token expires; null: never. */
  expiresAt: Date | null
}

export function makeOperatorTokenText(): string {
  return `${OPERATOR_TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`
}

/** The operator of a request, for the audit log. */
export function actorOf(request: { operator: Operator; ip: string; id: string }): Actor {
  const { tokenId, name } = request.operator
  return { kind: 'operator', id: tokenId, name, origin: request.ip, requestId: request.id }
}
