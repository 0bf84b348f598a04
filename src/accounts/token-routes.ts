// Access tokens over HTTP. Also says what every request carries once its token has been checked.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { IsoTime } from '../kit/contract/iso-time.js'
import { type OperationConfig, operation, SCOPES } from '../kit/contract/operation.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import {
  cutPage,
  HasMore,
  IdParams,
  OptionalText,
  PageQuery,
  pageOf,
} from '../kit/contract/schema.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import type { Caller } from './account.js'
import type { Actor } from './audit.js'
import { issueToken, readExpiry, revokeIssuedToken } from './issue-token.js'
import { listTokens } from './token-queries.js'
import { TOKEN_EXAMPLE, TokenShape, wireToken } from './token-wire.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler runs, on every route that has a scope. */
    caller: Caller
    /** Runs the work in a transaction, once per Idempotency-Key. */
    once: <Answer extends object>(
      work: (tx: Transaction) => Promise<Answer>,
      keep?: (answer: Answer) => Answer,
    ) => Promise<Answer>
    rawBody: string
  }
  interface FastifyContextConfig extends Partial<OperationConfig> {}
}

const CreateReply = Type.Object({
  success: Type.Literal(true),
  token: TokenShape,
  accessToken: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null where an Idempotency-Key replays the answer: the text is not kept',
  }),
})

const CREATE = operation({
  id: 'createToken',
  tag: 'Account',
  summary: 'Create an access token',
  description: 'The token text is in this answer only: it is kept as a hash.',
  isExtension: true,
  scope: 'manage',
  body: Type.Object({
    name: OptionalText(100),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...SCOPES]), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description: 'Default: the scopes of the token that calls',
        'x-expects': `must be a list of ${SCOPES.join(', ')}, each at most once`,
      }),
    ),
    expiresAt: Type.Optional(
      IsoTime('At most the end of the token that calls, which is also the default'),
    ),
  }),
  bodyExample: { name: 'billing service', scopes: ['read', 'send'] },
  reply: CreateReply,
  example: { success: true, token: TOKEN_EXAMPLE, accessToken: 'lc_8Xq…' },
  failure: { success: false },
})

const LIST = operation({
  id: 'listTokens',
  tag: 'Account',
  summary: 'List the access tokens, newest first',
  isExtension: true,
  scope: 'manage',
  query: PageQuery,
  reply: Type.Object({ tokens: Type.Array(TokenShape), hasMore: HasMore }),
  example: { tokens: [TOKEN_EXAMPLE], hasMore: false },
  failure: { tokens: [] },
})

const DELETE = operation({
  id: 'deleteToken',
  tag: 'Account',
  summary: 'Revoke an access token',
  description: 'It stops working within five seconds on every node.',
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: TOKEN_EXAMPLE.id },
  failure: { success: false },
  refuses: ['token_missing'],
})

export const tokenRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.post('/token/create', CREATE, async (request) => {
    const { caller, body, once } = request
    const now = clock.now()
    const expiresAt = readExpiry(body.expiresAt, now, caller.expiresAt)
    const scopes = body.scopes ?? [...caller.scopes]
    const beyondOwn = scopes.find((scope) => !caller.scopes.includes(scope))
    if (beyondOwn) {
      throw fieldRefusal('scopes', `cannot hold ${beyondOwn}: the calling token lacks it`)
    }
    const wanted = { name: body.name ?? null, scopes, expiresAt }
    const create = async (tx: Transaction): Promise<Static<typeof CreateReply>> => {
      const { token, text } = await issueToken(tx, actorOf(request), caller.accountId, wanted, now)
      return { success: true, token: wireToken(token), accessToken: text }
    }
    return once(create, (answer) => ({ ...answer, accessToken: null }))
  })

  app.get('/token/list', LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listTokens(db, caller.accountId, page), page)
    return { tokens: rows.map(wireToken), hasMore }
  })

  app.delete('/token/:id', DELETE, async (request) => {
    const { caller, params, once } = request
    return once(async (tx) => {
      await revokeIssuedToken(tx, actorOf(request), caller.accountId, params.id, clock.now())
      return { success: true as const, id: params.id }
    })
  })
}

function actorOf(request: { caller: Caller; ip: string; id: string }): Actor {
  const { tokenId } = request.caller
  return {
    kind: 'customer',
    id: tokenId,
    name: tokenId,
    origin: request.ip,
    requestId: request.id,
  }
}
