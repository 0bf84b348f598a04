// The caller's own account: who it is and what it may still spend.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findAccount } from '../accounts/account-queries.js'
import { toDollars } from '../kit/money.js'
import { operation, SCOPES } from '../kit/operation.js'
import { Refusal } from '../kit/refusal.js'
import { Timestamp } from '../kit/schema.js'
import type { World } from '../kit/world.js'
import { findBalanceMicros } from './ledger-queries.js'

const AccountShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  balance: Type.Number({ description: 'dollars' }),
  createdAt: Timestamp,
})

const GET = operation({
  id: 'getAccount',
  tag: 'Account',
  summary: 'Retrieve the account of the access token',
  beyond: true,
  scope: 'read',
  reply: Type.Object({
    account: AccountShape,
    scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'What the calling token allows' }),
    now: Type.String({ format: 'date-time', description: 'The time of the service' }),
  }),
  example: {
    account: {
      id: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
      name: 'Sandbox',
      balance: 79.9921,
      createdAt: '2026-11-15T12:00:00.000Z',
    },
    scopes: ['read', 'send', 'manage', 'billing'],
    now: '2026-11-15T12:30:00.000Z',
  },
  failure: { account: null },
})

export const accountRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/account', GET, async ({ caller }) => {
    const account = await findAccount(db, caller.accountId)
    if (!account) throw new Refusal('account_missing')
    const balance = await findBalanceMicros(db, caller.accountId)
    return {
      account: {
        id: account.accountId,
        name: account.name,
        balance: toDollars(balance),
        createdAt: account.createdAt.toISOString(),
      },
      scopes: [...caller.scopes],
      now: clock.now().toISOString(),
    }
  })
}
