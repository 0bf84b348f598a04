// Deliveries over HTTP: what was sent, the results, and sending it again.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type AccountId, mayManage } from '../accounts/account.js'
import type { Delivery } from '../events/event.js'
import { listDeliveries, listDeliveriesOf } from '../events/queue/delivery-record-queries.js'
import { readTime } from '../kit/contract/iso-time.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { getMessage } from '../messages/message-queries.js'
import type { Attempt } from './attempt-queries.js'
import { readAttempts } from './delivered-events.js'
import * as operations from './delivery-operations.js'
import { wireDelivery, wireDeliveryInFull } from './delivery-wire.js'
import type { DescribeMessages } from './event-body.js'
import {
  getDelivery,
  previewRecovery,
  recoverDeliveries,
  replayDelivery,
  sendTestEvent,
} from './send-again.js'
import { getWebhook } from './webhook-queries.js'

export interface DeliveryRooms extends World {
  describeMessages: DescribeMessages
}

export const deliveryRoutes: FastifyPluginAsyncTypebox<DeliveryRooms> = async (
  app,
  { db, clock, hints, describeMessages },
) => {
  app.get('/webhook/:id/deliveries', operations.LIST, async ({ caller, params, query }) => {
    const { id, signature } = await getWebhook(db, caller.accountId, params.id)
    const page = pageOf(query)
    const state = query.state ?? null
    const found =
      query.message === undefined
        ? await listDeliveries(db, caller.accountId, id, state, page)
        : await listDeliveriesOf(
            db,
            caller.accountId,
            id,
            await getMessage(db, caller.accountId, query.message),
            { state, page },
          )
    const { rows, hasMore } = cutPage(found, page)
    const hidden = mayManage(caller) ? null : signature
    return {
      deliveries: await wireAll(db, describeMessages, caller.accountId, { rows, hidden }),
      hasMore,
    }
  })

  app.get(
    '/webhook/:id/deliveries/:deliveryId',
    operations.GET,
    async ({ caller, params: { id, deliveryId } }) => {
      const { signature } = await getWebhook(db, caller.accountId, id)
      const delivery = await getDelivery(db, caller.accountId, id, deliveryId)
      const attempts = await readAttempts(db, describeMessages, caller.accountId, [deliveryId])
      return { delivery: wireDeliveryInFull(delivery, attempts, signature, mayManage(caller)) }
    },
  )

  app.post(
    '/webhook/:id/deliveries/:deliveryId/replay',
    operations.REPLAY,
    async ({ caller: { accountId }, params, once }) => {
      const answer = await once(async (tx) => {
        const { id, deliveryId } = params
        const delivery = await replayDelivery(tx, accountId, id, deliveryId, clock.now())
        return { success: true as const, delivery: await wireOne(tx, describeMessages, delivery) }
      })
      hints.notify('deliveries')
      return answer
    },
  )

  app.get(
    '/webhook/:id/recover',
    operations.PREVIEW_RECOVERY,
    async ({ caller, params, query }) => {
      const since = query.since === undefined ? new Date(0) : readTime('since', query.since)
      const { oldestAt, ...found } = await previewRecovery(db, caller.accountId, params.id, since)
      return { recovery: { ...found, oldestAt: oldestAt?.toISOString() ?? null } }
    },
  )

  app.post('/webhook/:id/recover', operations.RECOVER, async ({ caller, params, body, once }) => {
    const since = readTime('since', body.since)
    const answer = await once(async (tx) => ({
      success: true as const,
      ...(await recoverDeliveries(tx, caller.accountId, params.id, since, clock.now())),
    }))
    hints.notify('deliveries')
    return answer
  })

  app.post('/webhook/:id/test', operations.TEST, async ({ caller, params, body, once }) => {
    const eventType = body.eventType ?? null
    const answer = await once(async (tx) => {
      const delivery = await sendTestEvent(tx, caller.accountId, params.id, eventType, clock.now())
      return { success: true as const, delivery: await wireOne(tx, describeMessages, delivery) }
    })
    hints.notify('deliveries')
    return answer
  })
}

async function wireOne(db: Queryable, describeMessages: DescribeMessages, delivery: Delivery) {
  const { accountId } = delivery
  const [wired] = await wireAll(db, describeMessages, accountId, { rows: [delivery], hidden: null })
  return wired!
}

async function wireAll(
  db: Queryable,
  describeMessages: DescribeMessages,
  accountId: AccountId,
  { rows: deliveries, hidden }: { rows: readonly Delivery[]; hidden: string | null },
) {
  const attempts = await readAttempts(
    db,
    describeMessages,
    accountId,
    deliveries.map((delivery) => delivery.id),
  )
  const attemptsOf = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    const list = attemptsOf.get(attempt.deliveryId) ?? []
    attemptsOf.set(attempt.deliveryId, list)
    list.push(attempt)
  }
  return deliveries.map((delivery) =>
    wireDelivery(delivery, attemptsOf.get(delivery.id) ?? [], hidden),
  )
}
