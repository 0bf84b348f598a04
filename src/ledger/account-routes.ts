// The caller's account: its name, its balance, and notices for its owner.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { type Account, maySeeCampaign } from '../accounts/account.js'
import { getAccount, updateThreshold } from '../accounts/account-queries.js'
import { operation, SCOPES } from '../kit/contract/operation.js'
import { Noun, NullableNumber, Timestamp } from '../kit/contract/schema.js'
import { toDollars } from '../kit/money.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { readAmount } from './amount.js'
import type { BillingPorts, KeptDays } from './billing-ports.js'
import { entryFloor, findStanding } from './entry-queries.js'
import { startOfMonth } from './month.js'
import { lowBalanceNotices, NoticeShape, wireNotice } from './notice.js'

const AccountShape = Noun('Account', {
  id: Type.String(),
  name: Type.String(),
  balance: Type.Number({ description: 'dollars' }),
  spentThisMonth: Type.Number({
    description: 'dollars since the first of the month (UTC), minus refunds',
  }),
  lowBalanceThreshold: {
    ...NullableNumber,
    description: 'dollars. Below it, you get a notice and an event. null: no warning',
  },
  messageRetentionDays: {
    ...NullableNumber,
    description: 'Days after which message texts are deleted. null: never',
  },
  mediaRetentionDays: {
    ...NullableNumber,
    description: 'Days after which inbound media are deleted. null: never',
  },
  recordRetentionDays: {
    ...NullableNumber,
    description: 'Days after which messages are deleted. Charges are kept. null: never',
  },
  createdAt: Timestamp,
})

const EXAMPLE = {
  id: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'Sandbox',
  balance: 79.9921,
  spentThisMonth: 20.0079,
  lowBalanceThreshold: 10,
  messageRetentionDays: 365,
  mediaRetentionDays: 30,
  recordRetentionDays: 730,
  createdAt: '2026-11-15T12:00:00.000Z',
}

const GET = operation({
  id: 'getAccount',
  tag: 'Account',
  summary: 'Get the account of the access token',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'handler',
  reply: Type.Object({
    account: AccountShape,
    notices: Type.Array(NoticeShape, { description: 'Problems that the account owner should fix' }),
    tokenId: Type.String({ description: 'The ID of the token that made the request' }),
    scopes: Type.Array(Type.Enum([...SCOPES]), {
      description: 'What the token that made the request allows',
    }),
    now: Type.String({ format: 'date-time', description: 'The current time of the service' }),
  }),
  example: {
    account: EXAMPLE,
    notices: [
      {
        kind: 'renewal_unpaid',
        text: 'The renewal of Acme: Marketing is unpaid. You owe $11.00. The campaign will be suspended on 2026-11-22.',
        campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
        brandId: null,
        notes: [],
        until: '2026-11-22T12:00:00.000Z',
        owed: 11,
      },
    ],
    tokenId: 'tok_01km3v9w8m0000pqv3t5x7z9bd',
    scopes: ['read', 'send', 'manage', 'billing'],
    now: '2026-11-15T12:30:00.000Z',
  },
  failure: { account: null },
  refuses: ['account_missing'],
})

const PATCH = operation({
  id: 'updateAccount',
  tag: 'Account',
  summary: 'Set the balance for low-balance warnings',
  isExtension: true,
  scope: 'billing',
  body: Type.Object({
    lowBalanceThreshold: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'dollars, at most six decimals; null: no warning',
      'x-expects': 'must be an amount in dollars, or null',
    }),
  }),
  bodyExample: { lowBalanceThreshold: 10 },
  reply: Type.Object({ success: Type.Literal(true), account: AccountShape }),
  example: { success: true, account: EXAMPLE },
  failure: { success: false },
  refuses: ['account_missing'],
})

type Options = World & BillingPorts

export const accountRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock } = options

  app.get('/account', GET, async ({ caller }) => {
    const now = clock.now()
    const account = await getAccount(db, caller.accountId)
    const standing = await findStandingOf(db, account, now)
    const kept = await options.findKeptDays(db, caller.accountId)
    const notices = await options.listNotices(db, caller.accountId)
    const others = notices.filter(({ campaignId }) => maySeeCampaign(caller, campaignId))
    const low = lowBalanceNotices(standing.balanceMicros, account.lowBalanceMicros)
    return {
      account: wireAccount(account, standing, kept),
      notices: [...low, ...others].map(wireNotice),
      tokenId: caller.tokenId,
      scopes: [...caller.scopes],
      now: now.toISOString(),
    }
  })

  app.patch('/account', PATCH, async ({ caller, body, once }) => {
    const { lowBalanceThreshold } = body
    const micros =
      lowBalanceThreshold === null ? null : readAmount('lowBalanceThreshold', lowBalanceThreshold)
    return once(async (tx) => {
      await updateThreshold(tx, caller.accountId, micros)
      const account = await getAccount(tx, caller.accountId)
      const standing = await findStandingOf(tx, account, clock.now())
      const kept = await options.findKeptDays(tx, caller.accountId)
      return { success: true as const, account: wireAccount(account, standing, kept) }
    })
  })
}

type Standing = Awaited<ReturnType<typeof findStanding>>

function findStandingOf(db: Queryable, { accountId }: Account, now: Date): Promise<Standing> {
  return findStanding(db, accountId, entryFloor(startOfMonth(now)))
}

function wireAccount(
  account: Account,
  standing: Standing,
  { messageDays, mediaDays, recordDays }: KeptDays,
): Static<typeof AccountShape> {
  const { lowBalanceMicros } = account
  return {
    id: account.accountId,
    name: account.name,
    balance: toDollars(standing.balanceMicros),
    spentThisMonth: toDollars(standing.spentMicros),
    lowBalanceThreshold: lowBalanceMicros === null ? null : toDollars(lowBalanceMicros),
    messageRetentionDays: messageDays,
    mediaRetentionDays: mediaDays,
    recordRetentionDays: recordDays,
    createdAt: account.createdAt.toISOString(),
  }
}
