// Access tokens over HTTP. Also says what every request carries once its token has been checked.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { Transaction } from '../kit/db.js'
import { isId } from '../kit/ids.js'
import { type OperationConfig, operation, SCOPES } from '../kit/operation.js'
import { fieldRefusal, Refusal } from '../kit/refusal.js'
import {
  cutPage,
  HasMore,
  IdParams,
  NullableString,
  NullableTimestamp,
  OptionalText,
  PageQuery,
  pageOf,
  Timestamp,
} from '../kit/schema.js'
import type { World } from '../kit/world.js'
import type { Caller } from './account.js'
import { createToken } from './create-account.js'
import type { Token } from './token.js'
import { listTokens, revokeToken } from './token-queries.js'

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

const TokenShape = Type.Object({
  id: Type.String(),
  name: NullableString,
  scopes: Type.Array(Type.Enum([...SCOPES])),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
})

const EXAMPLE = {
  id: 'tok_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'billing service',
  scopes: ['read', 'send'],
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
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
  beyond: true,
  scope: 'manage',
  body: Type.Object({
    name: OptionalText(100),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...SCOPES]), {
        minItems: 1,
        uniqueItems: true,
        description: 'Default: the scopes of the token that calls',
        'x-expects': `must be a list of ${SCOPES.join(', ')}, each at most once`,
      }),
    ),
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        'x-expects': 'must be an ISO 8601 time such as 2027-01-01T00:00:00Z',
      }),
    ),
  }),
  bodyExample: { name: 'billing service', scopes: ['read', 'send'] },
  reply: CreateReply,
  example: { success: true, token: EXAMPLE, accessToken: 'lc_8Xq…' },
  failure: { success: false },
})

const LIST = operation({
  id: 'listTokens',
  tag: 'Account',
  summary: 'List the access tokens, newest first',
  beyond: true,
  scope: 'manage',
  query: PageQuery,
  reply: Type.Object({ tokens: Type.Array(TokenShape), hasMore: HasMore }),
  example: { tokens: [EXAMPLE], hasMore: false },
  failure: { tokens: [] },
})

const DELETE = operation({
  id: 'deleteToken',
  tag: 'Account',
  summary: 'Revoke an access token',
  description: 'It stops working within five seconds on every node.',
  beyond: true,
  scope: 'manage',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: EXAMPLE.id },
  failure: { success: false },
  refuses: ['token_missing'],
})

export const tokenRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.post('/token/create', CREATE, async ({ caller, body, once }) => {
    const now = clock.now()
    const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt)
    if (expiresAt && expiresAt <= now) throw fieldRefusal('expiresAt', 'must be in the future')
    const scopes = body.scopes ?? [...caller.scopes]
    const beyondOwn = scopes.find((scope) => !caller.scopes.includes(scope))
    if (beyondOwn) {
      throw fieldRefusal('scopes', `cannot hold ${beyondOwn}: the calling token lacks it`)
    }
    const wanted = { name: body.name ?? null, scopes, expiresAt }
    const create = async (tx: Transaction): Promise<Static<typeof CreateReply>> => {
      const { token, text } = await createToken(tx, caller.accountId, wanted, now)
      return { success: true, token: wireToken(token), accessToken: text }
    }
    return once(create, (answer) => ({ ...answer, accessToken: null }))
  })

  app.get('/token/list', LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listTokens(db, caller.accountId, page), page)
    return { tokens: rows.map(wireToken), hasMore }
  })

  app.delete('/token/:id', DELETE, async ({ caller, params }) => {
    const isGone =
      isId('tok', params.id) && (await revokeToken(db, caller.accountId, params.id, clock.now()))
    if (!isGone) throw new Refusal('token_missing')
    return { success: true as const, id: params.id }
  })
}

function wireToken(token: Token) {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  }
}
