// The operator's token endpoints.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getAccount } from '../../accounts/account-queries.js'
import { issueToken, readExpiry, revokeIssuedToken } from '../../accounts/issue-token.js'
import { listTokens } from '../../accounts/token-queries.js'
import { readKeep, wireToken } from '../../accounts/token-wire.js'
import { checkCampaigns } from '../../campaigns/campaign-queries.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { refuseDeleted } from '../accounts/manage-accounts.js'
import { actorOf, type OperatorToken } from '../operator-token.js'
import { endOperatorToken, issueOperatorToken } from './issue-operator-token.js'
import { listOperatorTokens } from './operator-token-queries.js'
import {
  CREATE_OPERATOR_TOKEN,
  CREATE_TOKEN,
  LIST_OPERATOR_TOKENS,
  LIST_TOKENS,
  REVOKE_OPERATOR_TOKEN,
  REVOKE_TOKEN,
} from './token-operations.js'

export const operatorTokenRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, hints },
) => {
  app.post('/account/:id/token/create', CREATE_TOKEN, (request) =>
    request.once(
      async (tx) => {
        const { params, body } = request
        const now = clock.now()
        refuseDeleted(await getAccount(tx, params.id))
        const newToken = {
          name: body.name ?? null,
          expiresAt: readExpiry(body.expiresAt, now, null),
          campaigns: body.campaigns ?? null,
          ...(body.scopes && { scopes: body.scopes }),
        }
        if (body.campaigns) await checkCampaigns(tx, params.id, body.campaigns)
        const { token, text } = await issueToken(tx, actorOf(request), params.id, newToken, now)
        return {
          success: true as const,
          token: wireToken(token),
          accessToken: text as string | null,
        }
      },
      (answer) => ({ ...answer, accessToken: null }),
    ),
  )

  app.get('/account/:id/token/list', LIST_TOKENS, async ({ params, query }) => {
    await getAccount(db, params.id)
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listTokens(db, params.id, page), page)
    return { tokens: rows.map(wireToken), hasMore }
  })

  app.delete('/account/:id/token/:token', REVOKE_TOKEN, async (request) => {
    const answer = await request.once(async (tx) => {
      const { id, token } = request.params
      await getAccount(tx, id)
      const revocation = { accountId: id, id: token, keep: readKeep(request.query.keep) }
      const alsoRevoked = await revokeIssuedToken(tx, actorOf(request), revocation, clock.now())
      return { success: true as const, id: token, alsoRevoked }
    })
    hints.notify('tokens')
    return answer
  })

  app.post('/token/create', CREATE_OPERATOR_TOKEN, (request) =>
    request.once(
      async (tx) => {
        const now = clock.now()
        const { name, expiresAt } = request.body
        const end = readExpiry(expiresAt, now, request.operator.expiresAt)
        const newToken = { name: name.trim(), expiresAt: end }
        const { token, text } = await issueOperatorToken(tx, actorOf(request), newToken, now)
        return {
          success: true as const,
          token: wireOperatorToken(token),
          operatorToken: text as string | null,
        }
      },
      (answer) => ({ ...answer, operatorToken: null }),
    ),
  )

  app.get('/token/list', LIST_OPERATOR_TOKENS, async ({ query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listOperatorTokens(db, page), page)
    return { tokens: rows.map(wireOperatorToken), hasMore }
  })

  app.delete('/token/:id', REVOKE_OPERATOR_TOKEN, (request) =>
    request.once(async (tx) => {
      await endOperatorToken(tx, actorOf(request), request.params.id, clock.now())
      return { success: true as const, id: request.params.id }
    }),
  )
}

function wireOperatorToken(token: OperatorToken) {
  return {
    id: token.id,
    name: token.name,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }
}
