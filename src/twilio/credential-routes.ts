// The credential for the Twilio-compatible API. Its AuthToken is an access token that is also stored in clear, because
// it signs requests to the customer and apps need the same one for both. So it can be shown again.

import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Caller } from '../accounts/account.js'
import { type Actor, customerOf } from '../accounts/audit.js'
import { issueToken, revokeIssuedToken } from '../accounts/issue-token.js'
import { operation } from '../kit/contract/operation.js'
import { Noun, Timestamp } from '../kit/contract/schema.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { createStatusWebhook } from '../webhooks/create-webhook.js'
import {
  findCredential,
  findStoredCredential,
  saveCredential,
  type TwilioCredential,
} from './credential-queries.js'
import { accountSid } from './sids.js'

const TOKEN_BYTES = 16
const TOKEN_NAME = 'Twilio-compatible API'

const CredentialShape = Noun('TwilioCredential', {
  accountSid: Type.String({ description: 'The user name' }),
  authToken: Type.String({
    description: 'The password, and the key of X-Twilio-Signature. It is also an access token',
  }),
  tokenId: Type.String({ description: 'The access token, as listed with the others' }),
  statusWebhookId: Type.String({
    description: 'The webhook whose deliveries are the StatusCallbacks of the account',
  }),
  createdAt: Timestamp,
})

const EXAMPLE = {
  accountSid: 'AC019d07b4f11400000b5f63d17a7fa56d',
  authToken: '0123456789abcdef0123456789abcdef',
  tokenId: 'tok_01km3v9w8m0000pqv3t5x7z9bd',
  statusWebhookId: 'whk_01km3v9w8m0000pqv3t5x7z9bd',
  createdAt: '2026-11-15T12:00:00.000Z',
}

const GET = operation({
  id: 'getTwilioCredential',
  tag: 'Account',
  summary: 'Get the credential for the Twilio-compatible API',
  description: 'null if there is none. See docs/twilio.md.',
  isExtension: true,
  scope: 'manage',
  reply: Type.Object({ twilio: Type.Union([CredentialShape, Type.Null()]) }),
  example: { twilio: EXAMPLE },
  failure: { twilio: null },
})

const CREATE = operation({
  id: 'createTwilioCredential',
  tag: 'Account',
  summary: 'Create or replace the credential for the Twilio-compatible API',
  description:
    'The previous AuthToken stops working within five seconds. The new one has the scopes and the expiry of your token.',
  isExtension: true,
  scope: 'manage',
  reply: Type.Object({ success: Type.Literal(true), twilio: CredentialShape }),
  example: { success: true, twilio: EXAMPLE },
  failure: { success: false },
})

const DELETE = operation({
  id: 'deleteTwilioCredential',
  tag: 'Account',
  summary: 'Revoke the credential for the Twilio-compatible API',
  description: 'Succeeds also if there is none.',
  isExtension: true,
  scope: 'manage',
  reply: Type.Object({ success: Type.Literal(true) }),
  example: { success: true },
  failure: { success: false },
})

export const credentialRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/account/twilio', GET, async ({ caller }) => {
    const credential = await findCredential(db, caller.accountId)
    return { twilio: credential && wireCredential(credential) }
  })

  app.post('/account/twilio', CREATE, async (request) =>
    request.once(async (tx) => {
      const { caller } = request
      const credential = await replaceCredential(tx, customerOf(request), caller, clock.now())
      return { success: true as const, twilio: wireCredential(credential) }
    }),
  )

  app.delete('/account/twilio', DELETE, async (request) =>
    request.once(async (tx) => {
      const { accountId } = request.caller
      const credential = await findCredential(tx, accountId)
      if (credential) {
        const revoked = { accountId, id: credential.tokenId }
        await revokeIssuedToken(tx, customerOf(request), revoked, clock.now())
      }
      return { success: true as const }
    }),
  )
}

async function replaceCredential(
  tx: Transaction,
  actor: Actor,
  caller: Caller,
  now: Date,
): Promise<TwilioCredential> {
  const { accountId, scopes, expiresAt, tokenId: createdBy } = caller
  const previous = await findStoredCredential(tx, accountId)
  // A credential that replaces itself would be revoked with its creator.
  const isOwn = previous?.tokenId === createdBy
  const current = await findCredential(tx, accountId)
  if (current) await revokeIssuedToken(tx, actor, { accountId, id: current.tokenId }, now)
  const text = randomBytes(TOKEN_BYTES).toString('hex')
  const owner = isOwn ? null : createdBy
  const request = { name: TOKEN_NAME, scopes, expiresAt, createdBy: owner, text }
  const { token } = await issueToken(tx, actor, accountId, request, now)
  const credential: TwilioCredential = {
    accountId,
    tokenId: token.id,
    authToken: text,
    statusWebhookId: previous?.statusWebhookId ?? (await createStatusWebhook(tx, accountId, now)),
    createdAt: now,
  }
  await saveCredential(tx, credential)
  return credential
}

function wireCredential(credential: TwilioCredential) {
  const { accountId, authToken, tokenId, statusWebhookId, createdAt } = credential
  return {
    accountSid: accountSid(accountId),
    authToken,
    tokenId,
    statusWebhookId,
    createdAt: createdAt.toISOString(),
  }
}
