// Delivery records and provider registrations are read and written on the node of their account, like the frequent
// statements in account-writes.test.ts. A list over two tables is one command, which sees one snapshot: a delivery that
// arrives at the same time is in exactly one of the tables.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  claimRegistration,
  delayRegistration,
  deleteRegistration,
  endRegistration,
  ensureRegistration,
  findRegistration,
  hastenCampaigns,
  hastenRegistration,
  recordRegistration,
  submitRegistration,
} from '../../src/brands/registration-queries.js'
import { deleteEventsBefore } from '../../src/events/event-queries.js'
import {
  deleteDeliveredEventsBefore,
  listDeliveredEvents,
  recordDeliveredEvents,
  redactDeliveredEvents,
} from '../../src/events/queue/delivered-event-queries.js'
import { claimDeliveries } from '../../src/events/queue/delivery-claim-queries.js'
import { wakeLaterDeliveries } from '../../src/events/queue/delivery-outcome-queries.js'
import {
  deleteDeliveriesBefore,
  findDelivery,
  listDeliveries,
  listDeliveriesOf,
} from '../../src/events/queue/delivery-record-queries.js'
import { restartDelivery } from '../../src/events/queue/delivery-round-queries.js'
import { idFloor, newId } from '../../src/kit/ids.js'
import type { Transaction } from '../../src/kit/postgres/db.js'
import { deleteAttemptsBefore } from '../../src/webhooks/attempt-queries.js'
import { activeCampaign } from '../fixtures.js'
import { createWebhook, happen } from '../flows/webhook-receiver.js'
import { testService } from '../harness.js'
import { watchNodes } from './contacted-nodes.js'

type Steps = Record<string, (db: Transaction) => Promise<unknown>>
const PAGE = { limit: 10, skip: 0, after: null }

test('delivery records are read, replayed, and deleted on the node of their account', async (t) => {
  const service = await testService(t)
  const { accountId, databaseUrl, world } = service
  const { campaignId } = await activeCampaign(service)
  const { id: webhookId } = await createWebhook(service, campaignId, 'https://receiver.invalid/')
  const now = world.clock.now()
  const until = new Date(now.getTime() + 60_000)
  const message = { id: newId('msg', now), createdAt: now, updatedAt: null }
  for (const sequence of [1, 2])
    await happen(service, { campaignId, messageId: message.id, sequence })
  const [first] = await claimDeliveries(
    world.db,
    accountId,
    [{ subscriberId: webhookId, slots: 1 }],
    until,
    until,
  )
  assert.ok(first)
  const { nodeOf, during } = await watchNodes(t, databaseUrl)
  const own = await nodeOf(accountId)
  const answer = {
    at: now,
    responseStatus: 200,
    durationMs: 1,
    responseBody: 'ok',
    request: 'request',
  }
  const floor = idFloor('dlv', new Date(now.getTime() + 60_000))
  const found = async (rows: Promise<unknown[]>, count: number) =>
    assert.equal((await rows).length, count)

  const kept: Steps = {
    'it arrives': (db) =>
      recordDeliveredEvents(
        db,
        accountId,
        [{ deliveryId: first.id, leaseUntil: until, ...answer }],
        now,
      ),
    'the next one is woken': (db) =>
      wakeLaterDeliveries(
        db,
        accountId,
        [{ subscriberId: webhookId, messageId: message.id, sequence: 1 }],
        now,
      ),
  }
  const read: Steps = {
    'one is read': async (db) =>
      assert.equal((await findDelivery(db, accountId, webhookId, first.id))?.state, 'delivered'),
    'all are listed': (db) => found(listDeliveries(db, accountId, webhookId, null, PAGE), 2),
    'those that arrived are listed': (db) =>
      found(listDeliveries(db, accountId, webhookId, 'delivered', PAGE), 1),
    'those that wait are listed': (db) =>
      found(listDeliveries(db, accountId, webhookId, 'pending', PAGE), 1),
    'those of a message are listed': (db) =>
      found(listDeliveriesOf(db, accountId, webhookId, message, { state: null, page: PAGE }), 2),
    'what was sent is read': (db) => found(listDeliveredEvents(db, accountId, [first.id]), 1),
  }
  const gone: Steps = {
    'what was sent is redacted': async (db) =>
      assert.equal(await redactDeliveredEvents(db, accountId, floor), 1),
    'it is sent again': async (db) =>
      assert.ok(await restartDelivery(db, accountId, first.id, now)),
    'attempts are deleted': (db) => deleteAttemptsBefore(db, accountId, floor, 10),
    'the queue’s are deleted': async (db) =>
      assert.equal(await deleteDeliveriesBefore(db, accountId, floor, 10), 2),
    'those that arrived are deleted': (db) => deleteDeliveredEventsBefore(db, accountId, floor, 10),
    'events are deleted': (db) => deleteEventsBefore(db, accountId, idFloor('evt', until), 10),
  }
  for (const [name, step] of Object.entries({ ...kept, ...read, ...gone })) {
    const { nodes, commands } = await during(step)
    assert.deepEqual(nodes, [own], name)
    if (name in read) assert.equal(commands, 1, name)
    t.diagnostic(`${name}: ${commands} commands to its node`)
  }
})

test('provider registrations are processed on the node of their account', async (t) => {
  const service = await testService(t)
  const { accountId, databaseUrl, world } = service
  const { nodeOf, during } = await watchNodes(t, databaseUrl)
  const own = await nodeOf(accountId)
  const now = world.clock.now()
  const at = (ms: number) => new Date(now.getTime() + ms)
  const key = { accountId, recordId: newId('cmp', now) }
  const submitted = { ...key, kind: 'campaign', link: 'east', now } as const
  const claim = async (db: Transaction, ms: number) => {
    const claimed = await claimRegistration(db, key, {
      ...{ now: at(ms), leaseUntil: at(ms + 10) },
      alive: { now: at(ms), until: at(ms + 10) },
    })
    assert.ok(claimed)
    return claimed
  }
  const failed = { attempts: 1, failingSince: now, lastError: 'busy', dueAt: at(20) }

  const steps: Steps = {
    'it is submitted': (db) => submitRegistration(db, submitted),
    'it is there already': (db) => ensureRegistration(db, submitted),
    'it is submitted again': (db) => submitRegistration(db, submitted),
    'an attempt fails': async (db) => delayRegistration(db, await claim(db, 0), failed),
    'it is sent to the provider': async (db) => {
      const leased = await claim(db, 20)
      assert.equal(leased.lastError, 'busy')
      const review = { ...leased, state: 'review', providerId: 'c1', dueAt: at(1_000) } as const
      assert.ok(await recordRegistration(db, leased, review))
    },
    'it is read': async (db) => assert.equal((await findRegistration(db, key))?.state, 'review'),
    'its next check moves up': (db) => hastenRegistration(db, { ...key, link: 'east' }, at(500)),
    'the next checks of some campaigns move up': (db) =>
      hastenCampaigns(db, accountId, [key.recordId], 'review', at(400)),
    'it ends': (db) => endRegistration(db, key, at(300)),
    'it is deleted': async (db) => deleteRegistration(db, await claim(db, 300)),
  }
  for (const [name, step] of Object.entries(steps)) {
    const { nodes, commands } = await during(step)
    assert.deepEqual(nodes, [own], name)
    t.diagnostic(`${name}: ${commands} commands to its node`)
  }
  assert.equal(await findRegistration(world.db, key), null)
})
