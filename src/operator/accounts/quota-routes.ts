// The operator's endpoints for quotas.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { IdParams, Noun } from '../../kit/contract/schema.js'
import { QUOTA_MAX } from '../../kit/settings/quota-config.js'
import type { World } from '../../kit/world.js'
import { QUOTA_FIELDS, QUOTAS_EXAMPLE } from '../../quotas/quota-wire.js'
import { actorOf } from '../operator-token.js'
import { changeQuotas, getOperatedQuotas } from './set-quotas.js'

function ownLimit(description: string) {
  return Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: QUOTA_MAX,
    description: `${description}. 0: no limit. null: the installation's`,
    'x-expects': 'must be a whole number, 0 or more, or null',
  })
}

const LIMITS = {
  queuedMessages: ownLimit('Messages that wait to be sent, including scheduled ones'),
  storedMessages: ownLimit('Sent and received messages'),
  mediaBytes: ownLimit('Bytes of uploads and of files of messages'),
  webhooks: ownLimit('Webhooks of all campaigns'),
}

const QuotaShape = Noun('OperatedQuota', {
  ...QUOTA_FIELDS,
  ownLimit: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of this account. 0: no limit. null: the default applies',
  }),
  defaultLimit: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of the installation (`LONGCODE_QUOTA_…`). null: no limit',
  }),
})

const [queued, ...others] = QUOTAS_EXAMPLE
const EXAMPLE = [
  { ...queued!, ownLimit: queued!.limit, defaultLimit: null },
  ...others.map((quota) => ({ ...quota, ownLimit: null, defaultLimit: quota.limit })),
]

const GET = operation({
  id: 'operatorGetQuotas',
  tag: 'Operator',
  summary: 'Get the quotas of an account, and how much of each is used',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ quotas: Type.Array(QuotaShape) }),
  example: { quotas: EXAMPLE },
  failure: { quotas: [] },
  refuses: ['account_missing'],
})

const CHANGE = operation({
  id: 'operatorChangeQuotas',
  tag: 'Operator',
  summary: 'Change the quotas of an account',
  description:
    'Quotas that you omit do not change. The limits apply within seconds. What exceeds a lower limit stays: only new requests are refused.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Partial(Type.Object(LIMITS)),
  bodyExample: { queuedMessages: 100_000, webhooks: 50 },
  reply: Type.Object({ success: Type.Literal(true), quotas: Type.Array(QuotaShape) }),
  example: { success: true, quotas: EXAMPLE },
  failure: { success: false },
  refuses: ['account_missing', 'account_state'],
})

export const operatorQuotaRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, config },
) => {
  app.get('/account/:id/quotas', GET, async ({ params }) => ({
    quotas: await getOperatedQuotas(db, config, params.id),
  }))

  app.patch('/account/:id/quotas', CHANGE, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const actor = actorOf(request)
      const quotas = await changeQuotas(tx, config, actor, params.id, body, clock.now())
      return { success: true as const, quotas }
    }),
  )
}
