// Work for an account runs on the node that has its rows: each frequent statement is checked for the nodes Citus
// contacts. If it contacted another node, it would fail while that node is down.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldKeys } from '../../src/accounts/idempotency-queries.js'
import { requeueBatch } from '../../src/events/queue/delivery-batch-queries.js'
import { claimDeliveries } from '../../src/events/queue/delivery-claim-queries.js'
import { newId } from '../../src/kit/ids.js'
import type { Queryable, Transaction } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { transfer } from '../../src/ledger/ledger-queries.js'
import {
  deleteAbandoned,
  deleteHandoffs,
  requeueHandoff,
} from '../../src/messages/dispatch/handoff-queries.js'
import { deleteSubmits, insertSubmits } from '../../src/messages/dispatch/submit-queries.js'
import { findDueMessages, leaseMessages, lockLane } from '../../src/messages/lane-queries.js'
import {
  findCarrierIds,
  findFoldedIds,
  insertCarrierIds,
} from '../../src/messages/moves/carrier-id-queries.js'
import { moveMessages } from '../../src/messages/moves/move-queries.js'
import { requeueMessages } from '../../src/messages/moves/requeue-queries.js'
import { insertAccepted, type NewMessage } from '../../src/messages/send/accept-queries.js'
import { recordAttempts } from '../../src/webhooks/attempt-queries.js'
import { activeCampaign } from '../fixtures.js'
import { createWebhook } from '../flows/webhook-receiver.js'
import { testService } from '../harness.js'
import { watchNodes } from './contacted-nodes.js'

test('work for an account runs only on its own node', async (t) => {
  const service = await testService(t)
  const { accountId, databaseUrl, world } = service
  const { campaignId } = await activeCampaign(service)
  const { id: webhookId } = await createWebhook(service, campaignId, 'https://receiver.invalid/')
  const { nodeOf, during } = await watchNodes(t, databaseUrl)
  const own = await nodeOf(accountId)
  const now = world.clock.now()
  const until = new Date(now.getTime() + 60_000)
  const lane = { accountId, campaignId, route: 'open' } as const
  const compose = (change: Partial<NewMessage> = {}) => ({
    ...{ campaignId, type: 'SMS', from: '+14152000001', to: '+14155550107', route: 'open' },
    ...{ body: 'Hello', mediaUrls: [], metadata: {}, numSegments: 1, priceMicros: 7_900n },
    ...{ automatic: null, scheduledAt: null, validitySeconds: null, once: null },
    ...{ path: { kind: 'handoff' }, ...change },
  })
  const accept = (ids: string[], change: Partial<NewMessage> = {}) => {
    const messages = ids.map(() => compose(change) as NewMessage)
    return (db: Queryable) => insertAccepted(db, accountId, { now, ids, messages })
  }
  const some = () => [newId('msg', now), newId('msg', now)]
  const [handed, keyed, queued] = [some(), some(), some()]
  const once = { key: 'one', requestHash: Buffer.from('x') }
  const move = (messageId: string, target: 'SENT' | 'FAILED', errorCode: 1400 | null) => {
    const one = {
      messageId,
      target,
      errorCode,
      isUnseen: errorCode !== null,
      entry: `${now.toISOString()}|x`,
    }
    return (db: Queryable) => moveMessages(db, accountId, [one], now)
  }
  const requeue = { dueAt: now, attempts: 1, expiresAt: null, isMediaChecked: false }
  const abandoned = { accountId, firstId: handed[0]!, lastId: handed[1]! }
  const deliveryIds: string[] = []
  const carrierId = { link: 'fake', carrierId: 'One', messageId: queued[0]!, part: 0, parts: 1 }
  const attempt = { attempt: 1, at: now, requestBody: null, requestHead: null, responseBody: null }

  const steps: Record<string, (db: Transaction) => Promise<unknown>> = {
    'accepted and handed off': accept(handed),
    'accepted under keys': accept([keyed[0]!], { once }),
    'accepted for the queue': accept(queued, { path: { kind: 'queue', dueAt: now } }),
    'the lane is locked': (db) => lockLane(db, lane),
    'the head of the lane is read': (db) => findDueMessages(db, lane, now, 10),
    'the head of the lane is leased': (db) =>
      leaseMessages(db, lane, queued, { leaseUntil: until }),
    'a message is requeued': (db) =>
      requeueMessages(db, accountId, [
        { messageId: queued[0]!, ...requeue, countedDay: null, entry: null },
      ]),
    'a message is sent': move(queued[0]!, 'SENT', null),
    'a message fails and is refunded': move(queued[1]!, 'FAILED', 1400),
    'a handoff is taken over': (db) => deleteAbandoned(db, abandoned),
    'the rest of the handoff is queued': (db) => requeueHandoff(db, abandoned, now),
    'a finished handoff is deleted': (db) =>
      deleteHandoffs(db, [{ accountId, firstId: keyed[0]! }]),
    'a submit is journaled': async (db) => {
      const submit = { accountId, id: newId('evt', now), link: 'fake' }
      const messages = queued.map((id) => ({ id, dueAt: until }))
      await insertSubmits(db, [{ ...submit, messages }], until)
      const [row] = await db.query<{ ids: string[] }>(
        sql`select message_ids as ids from submits where account_id = ${accountId} and id = ${submit.id}`,
      )
      assert.deepEqual(row?.ids.sort(), [...queued].sort())
    },
    'a submit is deleted': (db) => deleteSubmits(db, [{ accountId, id: newId('evt', now) }]),
    'carrier IDs are recorded': (db) => insertCarrierIds(db, accountId, [carrierId], now),
    'a carrier ID is found': async (db) => {
      const lookup = { accountId, link: 'fake', carrierIds: ['One'] }
      assert.equal((await findCarrierIds(db, lookup, ['carrier_ids'])).size, 1)
    },
    'a carrier ID is found in another letter case': async (db) => {
      const lookup = { accountId, link: 'fake', carrierIds: ['ONE'] }
      assert.equal((await findFoldedIds(db, lookup, ['carrier_ids'])).size, 1)
    },
    'old keys are deleted': (db) => deleteOldKeys(db, [{ accountId, key: 'one' }], now),
    'deliveries are claimed': async (db) => {
      const limits = [{ subscriberId: webhookId, slots: 10 }]
      const claimed = await claimDeliveries(db, accountId, limits, until, until)
      deliveryIds.push(...claimed.map(({ id }) => id))
      assert.equal(claimed.length, 2)
    },
    'deliveries that skip the queue are recorded': (db) => {
      const [first, second] = ['evt_1', 'evt_2'].map((eventId) => ({
        ...{ ...attempt, eventId, messageId: 'msg_1', batch: { id: 'bat_1', left: 3 } },
        ...{
          deliveryId: `of ${eventId}`,
          webhookId,
          durationMs: 1,
          leaseUntil: until,
          error: null,
        },
        ...{ request: 'request', responseStatus: 200, state: 'delivered' as const, dueAt: null },
      }))
      return recordAttempts(db, accountId, [first!, { ...second!, state: 'pending' }], now)
    },
    'a batch whose lease has ended goes to the queue': (db) =>
      requeueBatch(db, { accountId, id: 'bat_1' }, now),
    'attempts are recorded': (db) =>
      recordAttempts(
        db,
        accountId,
        deliveryIds.map((deliveryId, i) => ({
          ...{
            ...attempt,
            eventId: 'evt_1',
            messageId: null,
            batch: null,
            deliveryId,
            webhookId,
            durationMs: 1,
            leaseUntil: until,
            error: null,
          },
          request: 'request', // the first is delivered, the second gets an attempt row
          responseStatus: i === 0 ? 200 : 503,
          state: i === 0 ? ('delivered' as const) : ('pending' as const),
          dueAt: i === 0 ? null : until,
        })),
        now,
      ),
    'money is transferred': (db) =>
      transfer(db, { accountId, reason: 'credit', reference: 'one', amountMicros: 1n, now }),
  }
  for (const [name, step] of Object.entries(steps)) {
    const { nodes, commands } = await during(step)
    assert.deepEqual(nodes, [own], name)
    if (name === 'a submit is journaled')
      assert.equal(commands, 2, 'an insert, and a read by this test')
    t.diagnostic(`${name}: ${commands} commands to its node`)
  }
})
