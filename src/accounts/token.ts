// Access tokens: 32 random bytes that are shown once and stored only as a hash.

import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from '../kit/contract/operation.js'
import type { AccountId } from './account.js'
import type { BoundSystem } from './smpp-system.js'

export interface Token {
  id: string
  accountId: AccountId
  name: string | null
  scopes: Scope[]
  /** The campaigns that it is restricted to; null: the whole account. */
  campaigns: string[] | null
  /** The token that created it; null: created by an operator. */
  createdBy: string | null
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  /** Its SMPP credentials; null if it is not for SMPP. */
  smpp: BoundSystem | null
}

export function makeTokenText(): string {
  return `lc_${randomBytes(32).toString('base64url')}`
}

/** A plain hash is enough: 256 random bits cannot be guessed, so a slow hash adds nothing. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
