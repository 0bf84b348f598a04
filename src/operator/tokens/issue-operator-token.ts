// Issues and revokes operator tokens.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { hashToken } from '../../accounts/token.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { newId } from '../../kit/ids.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { makeOperatorTokenText, type OperatorToken } from '../operator-token.js'
import { insertOperatorToken, revokeOperatorToken } from './operator-token-queries.js'

/** Only this result contains the text. Only its hash is stored. */
export async function issueOperatorToken(
  tx: Transaction,
  actor: Actor,
  request: { name: string; expiresAt: Date | null },
  now: Date,
): Promise<{ token: OperatorToken; text: string }> {
  const text = makeOperatorTokenText()
  const token: OperatorToken = {
    id: newId('tok', now),
    ...request,
    createdAt: now,
    lastUsedAt: null,
  }
  await insertOperatorToken(tx, token, hashToken(text))
  const act = { act: 'operator_token.create', accountId: null, subject: token.id } as const
  await recordAct(tx, actor, { ...act, before: null, after: request }, now)
  return { token, text }
}

export async function endOperatorToken(
  tx: Transaction,
  actor: Actor,
  id: string,
  now: Date,
): Promise<void> {
  const token = await revokeOperatorToken(tx, id, now)
  if (!token) throw new Refusal('token_missing')
  const act = { act: 'operator_token.revoke', accountId: null, subject: id } as const
  await recordAct(tx, actor, { ...act, before: { name: token.name }, after: null }, now)
}
