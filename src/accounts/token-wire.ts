// Access tokens as JSON. No record has the text of a token, so this shape does not include it.

import { type Static, Type } from 'typebox'
import { SCOPES } from '../kit/contract/operation.js'
import { Noun, NullableString, NullableTimestamp, Timestamp } from '../kit/contract/schema.js'
import type { Token } from './token.js'

const SmppSystem = Noun('SmppSystem', {
  systemId: Type.String(),
  campaign: NullableString,
  number: NullableString,
  bound: Type.Integer({ description: 'Current binds' }),
})

export const TokenShape = Noun('Token', {
  id: Type.String(),
  name: NullableString,
  scopes: Type.Array(Type.Enum([...SCOPES])),
  campaigns: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'The campaigns it is restricted to. null: the whole account',
  }),
  createdBy: {
    ...NullableString,
    description: 'The token that created it. Revoking that one revokes this one',
  },
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
  smpp: Type.Union([SmppSystem, Type.Null()], {
    description: 'Its SMPP credentials; null if it is not for SMPP',
  }),
})

const KEEP_LENGTH_MAX = 2_000

export const KeepQuery = Type.Object({
  keep: Type.Optional(
    Type.String({
      maxLength: KEEP_LENGTH_MAX,
      description:
        'Tokens that stay valid, together with those they created: IDs or names, separated by commas',
    }),
  ),
})

export function readKeep(text = ''): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

export const RevokedReply = Type.Object({
  success: Type.Literal(true),
  id: Type.String(),
  alsoRevoked: Type.Array(Type.String(), {
    description: 'The tokens that were revoked with it because it created them',
  }),
})

export const TOKEN_EXAMPLE = {
  id: 'tok_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'billing service',
  scopes: ['read', 'send'],
  campaigns: null,
  createdBy: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  smpp: null,
}

export const REVOKED_EXAMPLE = { success: true, id: TOKEN_EXAMPLE.id, alsoRevoked: [] }

export function wireToken(token: Token): Static<typeof TokenShape> {
  return {
    id: token.id,
    name: token.name,
    campaigns: token.campaigns,
    createdBy: token.createdBy,
    scopes: token.scopes,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    smpp: token.smpp && {
      systemId: token.smpp.systemId,
      campaign: token.smpp.campaignId,
      number: token.smpp.number,
      bound: token.smpp.bound,
    },
  }
}
