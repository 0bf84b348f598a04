// Requests, responses, and errors of the operator's token endpoints: tokens of accounts and of operators.

import { Type } from 'typebox'
import {
  KeepQuery,
  REVOKED_EXAMPLE,
  RevokedReply,
  TOKEN_EXAMPLE,
  TokenShape,
} from '../../accounts/token-wire.js'
import { IsoTime } from '../../kit/contract/iso-time.js'
import { operation, SCOPES } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableTimestamp,
  OptionalText,
  PageQuery,
  PathText,
  RequiredText,
  Timestamp,
} from '../../kit/contract/schema.js'

const ExpiresAt = Type.Optional(IsoTime('Default: never'))

const TokenParams = Type.Object({ ...IdParams.properties, token: PathText() })

const TokenText = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'null if an Idempotency-Key replays the response: the text is not stored',
})

export const CREATE_TOKEN = operation({
  id: 'operatorCreateToken',
  tag: 'Operator',
  summary: 'Issue an access token of an account',
  description: 'Only this response contains the token. Longcode stores only its hash.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Object({
    name: OptionalText(100),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...SCOPES]), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description: 'Default: all',
        'x-expects': `must be a list of ${SCOPES.join(', ')}, each at most once`,
      }),
    ),
    expiresAt: ExpiresAt,
    campaigns: Type.Optional(
      Type.Array(IdText(), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Restricts it to these campaigns. Default: the whole account',
      }),
    ),
  }),
  bodyExample: { name: 'first token' },
  reply: Type.Object({
    success: Type.Literal(true),
    token: TokenShape,
    accessToken: TokenText,
  }),
  example: { success: true, token: TOKEN_EXAMPLE, accessToken: 'lc_8Xq…' },
  failure: { success: false },
  refuses: ['account_missing', 'account_state', 'campaign_missing'],
})

export const LIST_TOKENS = operation({
  id: 'operatorListTokens',
  tag: 'Operator',
  summary: 'List the access tokens of an account, newest first',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  query: PageQuery,
  reply: Type.Object({ tokens: Type.Array(TokenShape), hasMore: HasMore }),
  example: { tokens: [TOKEN_EXAMPLE], hasMore: false },
  failure: { tokens: [] },
  refuses: ['account_missing'],
})

export const REVOKE_TOKEN = operation({
  id: 'operatorRevokeToken',
  tag: 'Operator',
  summary: 'Revoke an access token of an account',
  description:
    'Also revokes the tokens it created. They stop working within five seconds on every node.',
  isExtension: true,
  scope: 'operator',
  params: TokenParams,
  query: KeepQuery,
  reply: RevokedReply,
  example: REVOKED_EXAMPLE,
  failure: { success: false },
  refuses: ['account_missing', 'token_missing'],
})

const OperatorTokenShape = Noun('OperatorToken', {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
})

const OPERATOR_TOKEN_EXAMPLE = {
  id: TOKEN_EXAMPLE.id,
  name: 'ana',
  createdAt: TOKEN_EXAMPLE.createdAt,
  expiresAt: null,
  lastUsedAt: null,
}

export const CREATE_OPERATOR_TOKEN = operation({
  id: 'operatorCreateOperatorToken',
  tag: 'Operator',
  summary: 'Issue an operator token',
  description:
    'Create one for each person or program: the audit log shows its name. Only this response contains the token.',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    name: RequiredText(100, { description: 'Who will use it' }),
    expiresAt: ExpiresAt,
  }),
  bodyExample: { name: 'ana' },
  reply: Type.Object({
    success: Type.Literal(true),
    token: OperatorTokenShape,
    operatorToken: TokenText,
  }),
  example: { success: true, token: OPERATOR_TOKEN_EXAMPLE, operatorToken: 'lco_8Xq…' },
  failure: { success: false },
})

export const LIST_OPERATOR_TOKENS = operation({
  id: 'operatorListOperatorTokens',
  tag: 'Operator',
  summary: 'List operator tokens, newest first',
  description: 'Does not include LONGCODE_OPERATOR_TOKEN, which exists only in the environment.',
  isExtension: true,
  scope: 'operator',
  query: PageQuery,
  reply: Type.Object({ tokens: Type.Array(OperatorTokenShape), hasMore: HasMore }),
  example: { tokens: [OPERATOR_TOKEN_EXAMPLE], hasMore: false },
  failure: { tokens: [] },
})

export const REVOKE_OPERATOR_TOKEN = operation({
  id: 'operatorRevokeOperatorToken',
  tag: 'Operator',
  summary: 'Revoke an operator token immediately',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: TOKEN_EXAMPLE.id },
  failure: { success: false },
  refuses: ['token_missing'],
})
