// Access tokens over HTTP. Also declares what every authenticated request carries.

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
import {
  KeepQuery,
  REVOKED_EXAMPLE,
  RevokedReply,
  readKeep,
  TOKEN_EXAMPLE,
  TokenShape,
  wireToken,
} from './token-wire.js'

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

const CAMPAIGNS_MAX = 100

const CreateReply = Type.Object({
  success: Type.Literal(true),
  token: TokenShape,
  accessToken: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null if an Idempotency-Key replays the response: the text is not stored',
  }),
  smppPassword: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'If `smpp` was given: eight characters, shown once like the token',
    }),
  ),
})

const CREATE = operation({
  id: 'createToken',
  tag: 'Account',
  summary: 'Create an access token',
  description: 'Only this response shows the token. The service stores a hash of it.',
  isExtension: true,
  scope: 'manage',
  body: Type.Object({
    name: OptionalText(100),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...SCOPES]), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description: 'Default: those of your token',
        'x-expects': `must be a list of ${SCOPES.join(', ')}, each at most once`,
      }),
    ),
    expiresAt: Type.Optional(
      IsoTime('At most the expiry of your token, which is also the default'),
    ),
    campaigns: Type.Optional(
      Type.Array(IdText(), {
        minItems: 1,
        maxItems: CAMPAIGNS_MAX,
        uniqueItems: true,
        description:
          'Restricts it to these campaigns, on every protocol. Default: the whole account',
      }),
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
            'Adds a system ID and password for SMPP binds, for one campaign, one number, or the whole account ({}). The default scopes are then read and send',
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
  summary: 'List access tokens, newest first',
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
  description:
    'Also revokes all tokens it created, directly or indirectly. They stop working within five seconds on every node. Their event streams end within a second.',
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  query: KeepQuery,
  reply: RevokedReply,
  example: REVOKED_EXAMPLE,
  failure: { success: false },
  refuses: ['token_missing'],
})

/** What this module does not know: who owns campaigns and numbers. */
export interface TokenPorts {
  /** Refuses a campaign of another account. */
  checkCampaigns: (
    db: Queryable,
    accountId: AccountId,
    campaigns: readonly string[],
  ) => Promise<void>
  checkSmppSystem: (
    db: Queryable,
    accountId: AccountId,
    request: { campaign?: string; number?: string },
  ) => Promise<Pick<SmppSystem, 'campaignId' | 'number'>>
}

const SMPP_SCOPES: readonly Scope[] = ['read', 'send']

export const tokenRoutes: FastifyPluginAsyncTypebox<World & TokenPorts> = async (
  app,
  { db, clock, hints, checkSmppSystem, checkCampaigns },
) => {
  app.post('/token/create', CREATE, async (request) => {
    const { caller, body, once } = request
    const now = clock.now()
    const expiresAt = readExpiry(body.expiresAt, now, caller.expiresAt)
    const own = caller.scopes.filter((scope) => !body.smpp || SMPP_SCOPES.includes(scope))
    const scopes = body.scopes ?? own
    if (scopes.length === 0) {
      throw fieldRefusal('smpp', 'needs read or send, and your token has neither')
    }
    const beyondOwn = scopes.find((scope) => !caller.scopes.includes(scope))
    if (beyondOwn) {
      throw fieldRefusal('scopes', `cannot include ${beyondOwn}, because your token lacks it`)
    }
    const { campaigns = null } = body
    if (campaigns) await checkCampaigns(db, caller.accountId, campaigns)
    const system = body.smpp && smppFor(body.smpp, campaigns)
    const smpp = system && (await makeSystem(await checkSmppSystem(db, caller.accountId, system)))
    const createdBy = caller.tokenId
    const newToken = {
      name: body.name ?? null,
      scopes,
      expiresAt,
      campaigns,
      createdBy,
      smpp: smpp ?? null,
    }
    const create = async (tx: Transaction): Promise<Static<typeof CreateReply>> => {
      const { token, text } = await issueToken(
        tx,
        customerOf(request),
        caller.accountId,
        newToken,
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
    const { caller, params, query, once } = request
    const answer = await once(async (tx) => {
      const { accountId } = caller
      const revocation = { accountId, id: params.id, keep: readKeep(query.keep) }
      const alsoRevoked = await revokeIssuedToken(tx, customerOf(request), revocation, clock.now())
      return { success: true as const, id: params.id, alsoRevoked }
    })
    hints.notify('tokens')
    return answer
  })
}

/** A bind is for one campaign or for all. With several, the request must choose one. */
function smppFor(
  smpp: { campaign?: string; number?: string },
  campaigns: readonly string[] | null,
): { campaign?: string; number?: string } {
  if (campaigns === null) return smpp
  const campaign = smpp.campaign ?? (campaigns.length === 1 ? campaigns[0] : undefined)
  if (campaign === undefined || campaigns.length > 1 || campaigns[0] !== campaign) {
    throw fieldRefusal(
      'campaigns',
      'must be the campaign in smpp: a token for SMPP has one campaign or all',
    )
  }
  return { ...smpp, campaign }
}
