// The operator's endpoints for SMPP limits.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { OperatedSystem } from '../../accounts/smpp-limits.js'
import { operation } from '../../kit/contract/operation.js'
import { IdParams, Noun } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { actorOf } from '../operator-token.js'
import {
  ALLOWED_ADDRESSES_MAX,
  changeAllowedAddresses,
  changeSmppLimits,
  getSmppCustomer,
  type SmppCustomer,
} from './set-smpp-limits.js'

function limitOf(minimum: number, maximum: number, description: string) {
  return Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum,
    maximum,
    description: `${description}; null: the server's limit`,
    'x-expects': `must be a whole number from ${minimum} to ${maximum}, or null`,
  })
}

const LIMITS = {
  submitsPerSecond: limitOf(0, 1_000_000, 'Submits per second and process (0: no limit)'),
  binds: limitOf(1, 1_000, 'Concurrent binds'),
  window: limitOf(1, 10_000, 'Outstanding submits per bind'),
}

const Addresses = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 50 },
  maxItems: ALLOWED_ADDRESSES_MAX,
  title: 'AllowedAddresses',
  description: 'IP addresses and networks in CIDR notation; null: any',
  'x-expects': `must be a list of at most ${ALLOWED_ADDRESSES_MAX} IP addresses or networks, or null`,
})

const SystemShape = Noun('OperatedSmppSystem', {
  systemId: Type.String(),
  account: Type.String(),
  tokenId: Type.String(),
  allowedAddresses: Addresses,
})
const CustomerShape = Noun('SmppCustomer', {
  account: Type.String(),
  ...LIMITS,
  systems: Type.Array(SystemShape),
})

const SYSTEM_EXAMPLE = {
  systemId: 'lc7hq2m9x4kd8wz',
  account: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  tokenId: 'tok_01km3v9w8m0000pqv3t5x7z9be',
  allowedAddresses: ['192.0.2.0/24'],
}
const CUSTOMER_EXAMPLE = {
  account: SYSTEM_EXAMPLE.account,
  submitsPerSecond: 50,
  binds: 2,
  window: null,
  systems: [SYSTEM_EXAMPLE],
}

const GET = operation({
  id: 'operatorGetSmpp',
  tag: 'Operator',
  summary: 'Get the SMPP limits and system IDs of an account',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ smpp: CustomerShape }),
  example: { smpp: CUSTOMER_EXAMPLE },
  failure: { smpp: null },
  refuses: ['account_missing'],
})

const CHANGE = operation({
  id: 'operatorChangeSmpp',
  tag: 'Operator',
  summary: 'Change the SMPP limits of an account',
  description:
    'The limits apply to bound clients within seconds. Binds over a lower limit stay until they end.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Partial(Type.Object(LIMITS)),
  bodyExample: { submitsPerSecond: 50, binds: 2 },
  reply: Type.Object({ success: Type.Literal(true), smpp: CustomerShape }),
  example: { success: true, smpp: CUSTOMER_EXAMPLE },
  failure: { success: false },
  refuses: ['account_missing', 'account_state'],
})

const ALLOW = operation({
  id: 'operatorChangeSmppSystem',
  tag: 'Operator',
  summary: 'Set the addresses that an SMPP system ID can bind from',
  description: 'Binds from any other address end within seconds.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Object({ allowedAddresses: Addresses }),
  bodyExample: { allowedAddresses: ['192.0.2.0/24', '2001:db8::7'] },
  reply: Type.Object({ success: Type.Literal(true), system: SystemShape }),
  example: { success: true, system: SYSTEM_EXAMPLE },
  failure: { success: false },
  refuses: ['smpp_system_missing'],
})

export const operatorSmppRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/account/:id/smpp', GET, async ({ params }) => ({
    smpp: wireSmppCustomer(await getSmppCustomer(db, params.id)),
  }))

  app.patch('/account/:id/smpp', CHANGE, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const customer = await changeSmppLimits(tx, actorOf(request), params.id, body, clock.now())
      return { success: true as const, smpp: wireSmppCustomer(customer) }
    }),
  )

  app.patch('/smpp-system/:id', ALLOW, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const addresses = body.allowedAddresses
      const actor = actorOf(request)
      const system = await changeAllowedAddresses(tx, actor, params.id, addresses, clock.now())
      return { success: true as const, system: wireOperatedSystem(system) }
    }),
  )
}

export function wireSmppCustomer({ accountId, limits, systems }: SmppCustomer) {
  return { account: accountId, ...limits, systems: systems.map(wireOperatedSystem) }
}

export function wireOperatedSystem({ accountId, ...system }: OperatedSystem) {
  return { ...system, account: accountId }
}
