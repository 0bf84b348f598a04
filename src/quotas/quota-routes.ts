// GET /v1/account/quotas: what the account uses of each quota. Every role sees it, because every role can be refused by one.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import type { World } from '../kit/world.js'
import { reportQuotas } from './quota-report.js'
import { QUOTAS_EXAMPLE, QuotaShape } from './quota-wire.js'

const GET = operation({
  id: 'getQuotas',
  tag: 'Account',
  summary: 'Get the quotas of the account, and how much of each is used',
  description:
    'The operator sets them. They differ from the carrier limits of a campaign, which delay messages and do not refuse them.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  reply: Type.Object({ quotas: Type.Array(QuotaShape) }),
  example: { quotas: QUOTAS_EXAMPLE },
  failure: { quotas: [] },
})

export const quotaRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, config }) => {
  app.get('/account/quotas', GET, async ({ caller }) => ({
    quotas: (await reportQuotas(db, config, caller.accountId)).uses,
  }))
}
