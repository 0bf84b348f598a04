// Access tokens over HTTP. Also says what every request carries once its token has been checked.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { IsoTime } from '../kit/contract/iso-time.js'
import { type OperationConfig, operation, SCOPES, type Scope } from '../kit/contract/operation.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import {
  cutPage,
  HasMore,
  IdParams,
  IdText,
  OptionalText,
  PageQuery,
  pageOf,
} from '../kit/contract/schema.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { E164 } from '../text/number-schema.js'
import type { AccountId, Caller } from './account.js'
import { customerOf } from './audit.js'
import { issueToken, readExpiry, revokeIssuedToken } from './issue-token.js'
import { makeSystem, type SmppSystem } from './smpp-system.js'
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
  smppPassword: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Where smpp was asked for: eight characters, shown once like the token',
    }),
  ),
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
        description: 'Default: those of the token that calls',
        'x-expects': `must be a list of ${SCOPES.join(', ')}, each at most once`,
      }),
    ),
    expiresAt: Type.Optional(
      IsoTime('At most the end of the token that calls, which is also the default'),
    ),
    smpp: Type.Optional(
      Type.Object(
        {
          campaign: Type.Optional(IdText()),
          number: Type.Optional(E164()),
        },
        {
          maxProperties: 10,
          description:
            'Gives it a system id and a password to bind with by SMPP, for one campaign, one number, or the whole account ({}). Its scopes are then read and send unless given',
        },
      ),
    ),
  }),
  bodyExample: { name: 'billing service', scopes: ['read', 'send'] },
  reply: CreateReply,
  example: { success: true, token: TOKEN_EXAMPLE, accessToken: 'lc_8Xq…' },
  failure: { success: false },
  refuses: ['campaign_missing'],
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

/** What this room does not know: whose campaigns and numbers are. */
export interface TokenPorts {
  checkSmppSystem: (
    db: Queryable,
    accountId: AccountId,
    wanted: { campaign?: string; number?: string },
  ) => Promise<Pick<SmppSystem, 'campaignId' | 'number'>>
}

const SMPP_SCOPES: readonly Scope[] = ['read', 'send']

export const tokenRoutes: FastifyPluginAsyncTypebox<World & TokenPorts> = async (
  app,
  { db, clock, checkSmppSystem },
) => {
  app.post('/token/create', CREATE, async (request) => {
    const { caller, body, once } = request
    const now = clock.now()
    const expiresAt = readExpiry(body.expiresAt, now, caller.expiresAt)
    const own = caller.scopes.filter((scope) => !body.smpp || SMPP_SCOPES.includes(scope))
    const scopes = body.scopes ?? own
    if (scopes.length === 0) {
      throw fieldRefusal('smpp', 'takes read or send: the calling token lacks both')
    }
    const beyondOwn = scopes.find((scope) => !caller.scopes.includes(scope))
    if (beyondOwn) {
      throw fieldRefusal('scopes', `cannot hold ${beyondOwn}: the calling token lacks it`)
    }
    const smpp =
      body.smpp && (await makeSystem(await checkSmppSystem(db, caller.accountId, body.smpp)))
    const wanted = { name: body.name ?? null, scopes, expiresAt, smpp: smpp ?? null }
    const create = async (tx: Transaction): Promise<Static<typeof CreateReply>> => {
      const { token, text } = await issueToken(
        tx,
        customerOf(request),
        caller.accountId,
        wanted,
        now,
      )
      const answer = { success: true as const, token: wireToken(token), accessToken: text }
      return smpp ? { ...answer, smppPassword: smpp.password } : answer
    }
    return once(create, (answer) => ({
      ...answer,
      accessToken: null,
      ...(smpp && { smppPassword: null }),
    }))
  })

  app.get('/token/list', LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listTokens(db, caller.accountId, page), page)
    return { tokens: rows.map(wireToken), hasMore }
  })

  app.delete('/token/:id', DELETE, async (request) => {
    const { caller, params, once } = request
    return once(async (tx) => {
      await revokeIssuedToken(tx, customerOf(request), caller.accountId, params.id, clock.now())
      return { success: true as const, id: params.id }
    })
  })
}
