// Creates a tenant, with its ledgers at zero and optionally its first token.

import { SCOPES, type Scope } from '../kit/contract/operation.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Account, AccountId } from './account.js'
import { insertAccount } from './account-queries.js'
import { type NewSystem, systemOf } from './smpp-system.js'
import { insertSystem } from './smpp-system-queries.js'
import { hashToken, makeTokenText, type Token } from './token.js'
import { insertToken } from './token-queries.js'

export async function createAccount(tx: Transaction, name: string, now: Date): Promise<Account> {
  const account: Account = {
    accountId: newId('acc', now),
    name,
    status: 'ACTIVE',
    lowBalanceMicros: null,
    createdAt: now,
  }
  await insertAccount(tx, account)
  return account
}

export interface NewToken {
  name?: string | null
  scopes?: readonly Scope[]
  expiresAt?: Date | null
  /** The campaigns that it is restricted to; null or absent: the whole account. */
  campaigns?: readonly string[] | null
  /** The token that creates it. */
  createdBy?: string | null
  /** Set if the operator chose the token (LONGCODE_TOKEN); otherwise generated. */
  text?: string
  /** Its SMPP credentials. */
  smpp?: NewSystem | null
}

/** A token that binds for one campaign is restricted to it on every protocol. */
function campaignsOf({ campaigns, smpp }: NewToken): string[] | null {
  if (campaigns) return [...campaigns]
  return smpp?.campaignId ? [smpp.campaignId] : null
}

/** The only place with the token's text. The service stores only its hash. */
export async function createToken(
  tx: Transaction,
  accountId: AccountId,
  newToken: NewToken,
  now: Date,
): Promise<{ token: Token; text: string }> {
  const text = newToken.text ?? makeTokenText()
  const token: Token = {
    id: newId('tok', now),
    accountId,
    name: newToken.name ?? null,
    scopes: [...(newToken.scopes ?? SCOPES)],
    campaigns: campaignsOf(newToken),
    createdBy: newToken.createdBy ?? null,
    createdAt: now,
    expiresAt: newToken.expiresAt ?? null,
    lastUsedAt: null,
    smpp: newToken.smpp ? { ...systemOf(newToken.smpp), bound: 0 } : null,
  }
  await insertToken(tx, token, hashToken(text))
  if (newToken.smpp) await insertSystem(tx, { accountId, tokenId: token.id }, newToken.smpp, now)
  return { token, text }
}
