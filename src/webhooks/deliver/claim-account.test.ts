// What a claim brings: which deliveries, with which body, and whether its endpoint is checked again. The database
// is a stand-in that returns what the test defines as due, and records what is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../events/event.js'
import type { ClaimedDelivery } from '../../events/queue/delivery-claim-queries.js'
import { Cache } from '../../kit/cache.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import { MESSAGE_EXAMPLE } from '../../messages/message-wire.js'
import type { Webhook } from '../webhook.js'
import { claimAccount } from './claim-account.js'
import { Endpoint } from './endpoint.js'
import type { MakeRequest } from './make-requests.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const LEASE_UNTIL = new Date('2026-11-15T12:00:45.000Z')

function due(id: string, change: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  const event = { eventId: `evt_of_${id}`, messageId: null, sequence: null }
  const rounds = { attempts: 0, attemptsBefore: 0, isClaimed: true }
  return { id, subscriberId: 'whk_1', ...event, ...rounds, ...change }
}

interface Stored {
  due?: ClaimedDelivery[]
  webhooks?: Partial<Webhook>[]
  /** By delivery: what an earlier attempt has sent. */
  sent?: Record<string, string>
  /** How many of a disabled webhook are paused at a time. */
  paused?: number[]
}

function stage({ due: rows = [], webhooks = [{ id: 'whk_1' }], sent = {}, paused = [] }: Stored) {
  const asked: string[] = []
  const note = (what: string, ids: unknown) => asked.push(`${what} ${String(ids)}`)
  const query = async ({ text, values }: Statement) => {
    if (text.includes('set_aside as')) return rows
    if (text.includes("set state = 'held'")) {
      note('pause', values[2])
      return new Array(paused.shift() ?? 0).fill({})
    }
    if (text.includes('set lease_until = null')) {
      assert.deepEqual([values[0], values[1], values[3]], [NOW, 'acc_1', [LEASE_UNTIL]])
      note('release', values[2])
      return []
    }
    if (text.includes('from webhooks w')) {
      note('webhooks', values[1])
      return webhooks.map((webhook) => ({
        campaignId: 'cmp_1',
        signature: 's',
        url: 'https://a.test/',
        ...webhook,
      }))
    }
    if (text.includes('from webhook_attempts')) {
      note('sent', values[1])
      return Object.entries(sent).map(([id, body]) => ({ id, body }))
    }
    if (text.includes('attempted_at is not null')) {
      note('delivered', values[1])
      return []
    }
    note('events', values[1])
    const ids = String(values[1]).slice(1, -1).split(',')
    return ids.filter((id) => id !== 'evt_gone').map(eventOf)
  }
  const recentBodies = new Cache<string, MakeRequest>({ max: 100 })
  const endpoints = new Map<string, Endpoint>()
  const claim = (wanted: Record<string, number>, describe = describeMessages) => {
    const claims = Object.entries(wanted).map(([id, count]) => {
      const endpoint = endpoints.get(id) ?? new Endpoint('acc_1', id)
      endpoints.set(id, endpoint)
      endpoint.markReady()
      return { endpoint, count }
    })
    const world = { db: { query } } as unknown as World
    const times = { now: NOW, leaseUntil: LEASE_UNTIL }
    const claimed = { accountId: 'acc_1', claims, ...times, recentBodies, other: null }
    return claimAccount(world, describe, claimed)
  }
  const describeMessages = async (_: unknown, __: string, ids: readonly string[]) => {
    note('messages', ids)
    return new Map(ids.map((id) => [id, { ...MESSAGE_EXAMPLE, id, body: 'Hello' }]))
  }
  const isReady = (id = 'whk_1') => endpoints.get(id)?.isReady
  return { claim, asked, isReady, endpoints }
}

function eventOf(id: string): Partial<Event> {
  const messageId = id.includes('message') ? 'msg_1' : null
  const eventType = messageId ? 'message.incoming' : 'recipient.optout'
  return { id, eventType, messageId, campaignId: 'cmp_1', createdAt: NOW, data: {} }
}

test('a full claim leaves its endpoint ready for the next, a smaller one does not', async () => {
  for (const [wanted, isReady] of [
    [1, true],
    [2, false],
  ] as const) {
    const one = stage({ due: [due('dlv_1')] })
    assert.equal((await one.claim({ whk_1: wanted })).length, 1)
    assert.equal(one.isReady(), isReady)
    assert.ok(!one.asked.includes('pause whk_1'), 'a webhook with deliveries is not disabled')
  }
})

test('an event that waits for an earlier one counts as found and is not sent', async () => {
  const { claim, asked, isReady } = stage({ due: [due('dlv_1', { isClaimed: false })] })
  assert.deepEqual(await claim({ whk_1: 1 }), [])
  assert.equal(isReady(), true)
  assert.deepEqual(asked, [], 'nothing is read for it')
})

test('each endpoint of an account counts only its own deliveries', async () => {
  const { claim, isReady } = stage({ due: [due('dlv_1'), due('dlv_2')] })
  const leased = await claim({ whk_1: 2, whk_2: 2 })
  assert.deepEqual(
    leased.map(({ deliveryId, endpoint }) => [deliveryId, endpoint.webhookId]),
    [
      ['dlv_1', 'whk_1'],
      ['dlv_2', 'whk_1'],
    ],
  )
  assert.deepEqual([isReady('whk_1'), isReady('whk_2')], [true, false])
})

test('an empty claim may mean a disabled webhook, whose deliveries are paused, 1,000 per claim', async () => {
  const { claim, asked, isReady } = stage({ paused: [1_000, 999] })
  assert.deepEqual(await claim({ whk_1: 2 }), [])
  assert.equal(isReady(), true, 'there may be more')
  assert.deepEqual(await claim({ whk_1: 2 }), [])
  assert.equal(isReady(), false)
  assert.deepEqual(asked, ['pause whk_1', 'pause whk_1'])
})

test('a first attempt sends the event with its current message, made once for all webhooks', async () => {
  const twice = { eventId: 'evt_message', messageId: 'msg_1' }
  const rows = [
    due('dlv_1', { ...twice, sequence: 1 }),
    due('dlv_2', { ...twice, subscriberId: 'whk_2' }),
    due('dlv_3', { eventId: 'evt_other' }),
  ]
  const { claim, asked } = stage({ due: rows, webhooks: [{ id: 'whk_1' }, { id: 'whk_2' }] })
  const leased = await claim({ whk_1: 4, whk_2: 4 })
  assert.deepEqual(asked.toSorted(), [
    'events {evt_message,evt_other}',
    'messages msg_1',
    'webhooks whk_1,whk_2',
  ])
  const bodies = leased.map(({ body }) => JSON.parse(String(body)))
  assert.deepEqual(
    bodies.map(({ id, webhookId, data }) => [id, webhookId, data.message?.body]),
    [
      ['evt_message', 'whk_1', 'Hello'],
      ['evt_message', 'whk_2', 'Hello'],
      ['evt_other', 'whk_1', undefined],
    ],
  )
  const [{ webhook, endpoint, body, storedBody, ...first }] = leased as [(typeof leased)[0]]
  assert.deepEqual(first, {
    batch: null,
    deliveryId: 'dlv_1',
    eventId: 'evt_message',
    messageId: 'msg_1',
    sequence: 1,
    attempts: 0,
    attemptsBefore: 0,
    url: 'https://a.test/',
    isBodyRecorded: false,
    leaseUntil: LEASE_UNTIL,
  })
  assert.match(storedBody!, /^\d+\t\w+\t{"price":0\.0079}$/, 'without its text')
})

test('a recent event is not read again', async () => {
  const { claim, asked } = stage({ due: [due('dlv_1', { messageId: 'msg_1' })] })
  const [first] = await claim({ whk_1: 1 })
  asked.length = 0
  const [second] = await claim({ whk_1: 1 })
  assert.deepEqual(asked, ['webhooks whk_1'])
  assert.deepEqual(second?.body, first?.body)
})

test('a retry sends what the first attempt sent, unless that was redacted since', async () => {
  const retried = { attempts: 2, attemptsBefore: 1 }
  const once = { attempts: 1, attemptsBefore: 0 }
  const rows = [due('dlv_kept', once), due('dlv_redacted', retried), due('dlv_new')]
  const { claim, asked } = stage({ due: rows, sent: { dlv_kept: 'as it was' } })
  const leased = await claim({ whk_1: 3 })
  assert.deepEqual(asked.toSorted(), [
    'delivered dlv_redacted',
    'events {evt_of_dlv_redacted,evt_of_dlv_new}',
    'sent dlv_kept,dlv_redacted',
    'webhooks whk_1',
  ])
  assert.deepEqual(
    leased.map(({ isBodyRecorded, attempts, attemptsBefore }) => [
      isBodyRecorded,
      attempts,
      attemptsBefore,
    ]),
    [
      [true, 1, 0],
      [false, 2, 1],
      [false, 0, 0],
    ],
  )
  assert.equal(String(leased[0]?.body), 'as it was')
  assert.equal(JSON.parse(String(leased[1]?.body)).id, 'evt_of_dlv_redacted')
})

test('a retry after a redaction does not send the body of the first attempt from memory', async () => {
  const rows = [due('dlv_1')]
  const { claim, asked } = stage({ due: rows })
  await claim({ whk_1: 1 })
  rows[0] = due('dlv_1', { attempts: 1, attemptsBefore: 0 })
  asked.length = 0
  await claim({ whk_1: 1 })
  assert.ok(asked.includes('events {evt_of_dlv_1}'), 'the event is read again')
})

test('the claim of a just deleted webhook or event is released', async () => {
  const rows = [
    due('dlv_1', { subscriberId: 'whk_gone' }),
    due('dlv_2'),
    due('dlv_3', { eventId: 'evt_gone' }),
  ]
  const { claim, asked } = stage({ due: rows })
  const leased = await claim({ whk_gone: 1, whk_1: 1 })
  assert.deepEqual(
    leased.map(({ deliveryId }) => deliveryId),
    ['dlv_2'],
  )
  assert.equal(asked.at(-1), 'release dlv_1,dlv_3')
})

test('if bodies cannot be made, the whole claim is released and the failure is logged', async () => {
  const rows = [due('dlv_1', { messageId: 'msg_1' }), due('dlv_2', { isClaimed: false })]
  const { claim, asked } = stage({ due: rows })
  const describe = async () => {
    throw new Error('lost')
  }
  await assert.rejects(claim({ whk_1: 2 }, describe), /lost/)
  assert.equal(asked.at(-1), 'release dlv_1', 'nothing else is released')
})

test('a webhook that was failing before has one slot, others have two', async () => {
  for (const failingSince of [NOW, null]) {
    const webhooks = [{ id: 'whk_1', failingSince }]
    const { claim, endpoints } = stage({ due: [due('dlv_1')], webhooks })
    await claim({ whk_1: 1 })
    assert.equal(endpoints.get('whk_1')?.freeSlots(0), failingSince ? 1 : 2)
  }
})
