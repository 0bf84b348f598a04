// When the deliverer checks for work, what it leases, and that a step lasts until everything is recorded. The
// database is a stand-in that returns what the test defines as due. The endpoint is a server on loopback.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { DirectDeliveries } from '../../events/queue/direct-deliveries.js'
import { Hints } from '../../kit/hints.js'
import { Metrics } from '../../kit/metrics.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import { Deliverer } from './deliverer.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The parameters of a claim, told apart by type, because their order may change. */
function claimOf(values: readonly unknown[]) {
  const lists = values.filter((value) => Array.isArray(value))
  const accountId = values.find((value) => typeof value === 'string') as string
  const slots = lists.find(([first]) => typeof first === 'number') as [number]
  return { subscribers: lists[0] as string[], slots: slots[0], accountId }
}

interface Stand {
  /** Webhooks of as many accounts, with one delivery each, at the first check. */
  accounts?: number
  url?: string
  /** The number of claims that find only events behind earlier ones. */
  claimsInVain?: number
  /** Before a claim returns. */
  beforeClaim?: () => Promise<void>
  /** Before an attempt is written. */
  beforeRecord?: () => Promise<void>
}

function stage({ accounts = 0, url = '', claimsInVain = 0, ...before }: Stand = {}) {
  const { beforeClaim, beforeRecord } = before
  const seen = {
    looks: 0,
    claims: [] as unknown[][],
    recorded: [] as string[],
    /** The sequences after which a later event was looked for. */
    woken: [] as string[],
    released: [] as string[],
    log: [] as string[],
  }
  const due = new Map<string, string>(
    Array.from({ length: accounts }, (_, i) => [`acc_${i}`, `whk_${i}`] as const),
  )
  const query = async ({ text, values }: Statement) => {
    if (text.includes('group by')) {
      seen.looks += 1
      const dueAt = new Date(0)
      return [...due].map(([accountId, subscriberId]) => ({ accountId, subscriberId, dueAt }))
    }
    if (text.includes('set_aside as')) {
      const { subscribers, slots, accountId } = claimOf(values)
      seen.claims.push(values.filter((value) => value instanceof Date))
      await beforeClaim?.()
      const round = { attempts: 0, attemptsBefore: 0, isClaimed: true }
      const event = { eventId: 'evt_1', messageId: null, sequence: null }
      if (seen.claims.length <= claimsInVain) {
        return Array.from({ length: slots }, (_, i) => ({
          ...{ id: `dlv_${i}`, subscriberId: subscribers[0], ...event, ...round, isClaimed: false },
        }))
      }
      const isDue = due.delete(accountId)
      return isDue
        ? [{ id: `dlv_of_${accountId}`, subscriberId: subscribers[0], ...event, ...round }]
        : []
    }
    if (text.includes('from webhooks w')) {
      const [accountId, [id]] = values as [string, [string]]
      const secrets = { signature: 's', secret: 'whsec_AAAA', formerSecret: null }
      return [
        { accountId, id, url, campaignId: 'cmp_1', failingSince: null, updatedAt: NOW, ...secrets },
      ]
    }
    const isDirect = text.includes('from delivery_batches')
    if (text.includes('insert into event_arrivals')) {
      await beforeRecord?.()
      seen.recorded.push(String(values[isDirect ? 5 : 3]))
    }
    if (isDirect && text.includes('insert into event_deliveries')) {
      const isLeased = values.at(-1)
      if (!isLeased) seen.released.push(String(values[5]))
    }
    if (text.includes('insert into webhook_attempts')) seen.recorded.push(`again ${values[3]}`)
    if (text.includes('select later.id')) seen.woken.push(String(values[5]))
    if (text.includes('set lease_until = null')) seen.released.push(String(values[2]))
    const event = { id: 'evt_1', eventType: 'recipient.optout', createdAt: NOW, messageId: null }
    return text.includes('from events') ? [event] : []
  }
  const hints = new Hints()
  const world = {
    db: { query },
    clock: { now: () => NOW, nowMs: () => NOW.getTime(), offsetMs: 0 },
    config: { mode: 'sandbox', webhookAllow: [] },
    log: { error: (_: object, text: string) => seen.log.push(text) },
    hints,
    metrics: new Metrics(),
  } as unknown as World
  const direct = new DirectDeliveries()
  const { loop } = new Deliverer(world, async () => new Map(), { direct })
  const { step, end } = loop
  return { step: (signal = never) => step(signal), end: end!, hints, direct, seen }
}

/** An endpoint that responds at the test’s command. */
async function endpoint(t: TestContext) {
  const waiting: ServerResponse[] = []
  let arrive = () => {}
  const server = createServer((request, response) => {
    request.resume()
    waiting.push(response)
    arrive()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const arrived = async (count: number) => {
    while (waiting.length < count) {
      await new Promise<void>((resolve) => {
        arrive = resolve
      })
    }
  }
  const answer = (status: number) => {
    const response = waiting.shift()!
    response.writeHead(status, { connection: 'close' }).end()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrived, answer }
}

test('a deliverer checks at every hint, at least 20 ms apart, and otherwise every 150 ms', async (t) => {
  let machineMs = 1_000
  t.mock.method(performance, 'now', () => machineMs)
  const { step, hints, seen } = stage()
  const looksAt = async (ms: number) => {
    machineMs = ms
    assert.equal(await step(), 0)
    return seen.looks
  }
  assert.equal(await looksAt(1_000), 1, 'immediately at the start')
  assert.equal(await looksAt(1_149), 1)
  assert.equal(await looksAt(1_150), 2)
  hints.notify('deliveries')
  assert.equal(await looksAt(1_169), 2)
  assert.equal(await looksAt(1_170), 3)
  assert.equal(await looksAt(1_190), 3, 'a hint causes one check')
  hints.notify('clock')
  assert.equal(await looksAt(1_190), 4)
})

test('three accounts are claimed at a time, each until 45 seconds from now', async (t) => {
  const { url, arrived, answer } = await endpoint(t)
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { step, seen } = stage({ accounts: 4, url, beforeClaim: () => opened })
  const handled = step()
  for (let i = 0; i < 50; i += 1) await turn()
  assert.equal(seen.claims.length, 3)
  open()
  await arrived(4)
  for (let i = 0; i < 4; i += 1) answer(204)
  assert.equal(await handled, 4)
  // Now, until when later events wait, and the lease.
  const moments = [0, 2_000, 45_000].map((ms) => NOW.getTime() + ms)
  for (const times of seen.claims.slice(0, 4)) {
    assert.deepEqual([...new Set(times.map(Number))].toSorted(), moments)
  }
  assert.deepEqual(seen.recorded.toSorted(), [
    '{dlv_of_acc_0}',
    '{dlv_of_acc_1}',
    '{dlv_of_acc_2}',
    '{dlv_of_acc_3}',
  ])
})

test('a step lasts until what it sent is recorded, and a stop waits for it, too', async (t) => {
  for (const stops of [false, true]) {
    const { url, arrived, answer } = await endpoint(t)
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const stopping = new AbortController()
    const { step, end, seen } = stage({ accounts: 1, url, beforeRecord: () => opened })
    let isOver = false
    const steps = step(stopping.signal).finally(() => {
      isOver = !stops
    })
    const handled = stops ? steps.finally(end).finally(() => (isOver = true)) : steps
    await arrived(1)
    if (stops) stopping.abort()
    answer(204)
    for (let i = 0; i < 50; i += 1) await turn()
    assert.equal(isOver, false)
    open()
    assert.equal(await handled, 1)
    assert.deepEqual(seen.recorded, ['{dlv_of_acc_0}'])
    assert.deepEqual(seen.log, [])
  }
})

test('a delivery that could not be recorded is left to its lease, and the step continues', async (t) => {
  const { url, arrived, answer } = await endpoint(t)
  const beforeRecord = async () => {
    throw new Error('lost')
  }
  const { step, seen } = stage({ accounts: 1, url, beforeRecord })
  const handled = step()
  await arrived(1)
  answer(204)
  assert.equal(await handled, 1)
  assert.deepEqual([seen.recorded, seen.log], [[], ['delivery not recorded']])
})

test('if everything found waits behind earlier events, the next ones are claimed immediately', async (t) => {
  const { url, arrived, answer } = await endpoint(t)
  const { step, seen } = stage({ accounts: 1, url, claimsInVain: 2 })
  const handled = step()
  await Promise.race([arrived(1), handled])
  assert.equal(seen.claims.length, 3)
  answer(204)
  assert.equal(await handled, 1)
  assert.deepEqual(seen.recorded, ['{dlv_of_acc_0}'])
})

const SENT = {
  ...{ status: 'SENT', previousStatus: 'QUEUED', errorCode: null, errorMessage: null },
  createdAt: NOW,
}

/** So no response is slow on a busy machine: 500 ms would be 50 s. */
function slowClock(t: TestContext): void {
  const now = performance.now.bind(performance)
  const startedAt = now()
  t.mock.method(performance, 'now', () => startedAt + (now() - startedAt) / 100)
}

/** A webhook that has answered, so it takes deliveries without a claim, and what is created for it. */
async function quickStage(t: TestContext, stand: Stand = {}) {
  slowClock(t)
  const { url, arrived, answer } = await endpoint(t)
  const staged = stage({ accounts: 1, url, ...stand })
  const first = staged.step()
  await arrived(1)
  answer(204)
  assert.equal(await first, 1)
  const claims = staged.seen.claims.length
  const create = (...created: { sequence: number; isBehind?: boolean }[]) => {
    const offer = staged.direct.offer('acc_0', created.length, NOW)
    offer?.settle(
      created.map(({ sequence, isBehind = false }) => ({
        ...{ id: `dlv_${sequence}`, subscriberId: 'whk_0', messageId: 'msg_1' },
        ...{ eventId: `evt_${sequence}`, sequence, isBehind },
      })),
      SENT,
    )
    return offer
  }
  staged.seen.recorded.splice(0)
  const isUnclaimed = () => staged.seen.claims.length === claims
  return { ...staged, create, arrived, answer, isUnclaimed }
}

test('a webhook that has answered gets new deliveries without a claim', async (t) => {
  const { direct, create, arrived, answer, isUnclaimed, seen, end } = await quickStage(t)
  assert.equal(direct.offer('acc_other', 1, NOW), null)
  const offer = create({ sequence: 1 })
  const leaseUntil = new Date(NOW.getTime() + 45_000)
  assert.deepEqual([offer?.subscriberIds, offer?.leaseUntil], [['whk_0'], leaseUntil])
  await arrived(1)
  answer(204)
  await end()
  assert.deepEqual([seen.recorded, seen.released], [['{evt_1}'], []])
  assert.ok(isUnclaimed())
})

test('a later event follows the earlier one that is in progress, and nothing has to look for it', async (t) => {
  const { create, arrived, answer, isUnclaimed, seen, end } = await quickStage(t)
  create({ sequence: 1 })
  await arrived(1)
  create({ sequence: 2, isBehind: true })
  create({ sequence: 3, isBehind: true })
  for (let sequence = 1; sequence <= 3; sequence += 1) {
    await arrived(1)
    for (let i = 0; i < 50; i += 1) await turn()
    assert.equal(seen.recorded.length, sequence - 1, 'one at a time')
    answer(204)
  }
  while (seen.recorded.length < 3) await turn()
  await end()
  assert.deepEqual(seen.recorded, ['{evt_1}', '{evt_2}', '{evt_3}'])
  assert.deepEqual(seen.woken, ['{3}'], 'only the last one may have a later one elsewhere')
  assert.ok(isUnclaimed())
})

test('an event that was created just before the earlier one was recorded is sent', async (t) => {
  const { create, arrived, answer, seen, end } = await quickStage(t)
  create({ sequence: 1 })
  await arrived(1)
  answer(204)
  while (seen.recorded.length < 1) await turn()
  while (seen.woken.length < 1) await turn()
  await turn()
  create({ sequence: 2, isBehind: true })
  await arrived(1)
  answer(204)
  await end()
  assert.deepEqual([seen.recorded, seen.released], [['{evt_1}', '{evt_2}'], []])
})

test('an event behind one that another process has goes back to the queue', async (t) => {
  const { create, seen, hints, end } = await quickStage(t)
  const hinted: unknown[] = []
  hints.subscribe('deliveries', (accounts) => hinted.push(accounts))
  create({ sequence: 3, isBehind: true })
  while (hinted.length === 0) await turn()
  await end()
  assert.deepEqual([seen.recorded, seen.released, hinted], [[], ['{evt_3}'], [['acc_0']]])
})

test('what follows a failed event goes back to the queue, and the webhook gets claims again', async (t) => {
  const { direct, create, arrived, answer, seen, end } = await quickStage(t)
  create({ sequence: 1 })
  await arrived(1)
  create({ sequence: 2, isBehind: true })
  for (let i = 0; i < 50; i += 1) await turn()
  answer(500)
  while (seen.released.length === 0) await turn()
  assert.deepEqual([seen.recorded, seen.released], [['again {1}'], ['{evt_2}']])
  assert.equal(direct.offer('acc_0', 1, NOW), null)
  await end()
})

test('a stop waits for statements that may lease deliveries, and offers nothing more', async (t) => {
  const { direct, arrived, answer, seen, end } = await quickStage(t)
  const offer = direct.offer('acc_0', 1, NOW)!
  const stopped = end()
  assert.equal(direct.offer('acc_0', 1, NOW), null)
  const ids = { id: 'dlv_1', subscriberId: 'whk_0', eventId: 'evt_1', messageId: 'msg_1' }
  offer.settle([{ ...ids, sequence: 1, isBehind: false }], SENT)
  await arrived(1)
  answer(204)
  await stopped
  assert.deepEqual(seen.recorded, ['{evt_1}'])
})

test('nothing is offered beyond what an endpoint can take', async (t) => {
  const { direct } = await quickStage(t)
  const offers = Array.from({ length: 40 }, () => direct.offer('acc_0', 1, NOW))
  const taken = offers.filter((offer) => offer !== null)
  assert.equal(taken.length, 4 * 8, 'eight for each of its slots')
  taken[0]!.settle([], SENT)
  for (let i = 0; i < 5; i += 1) await turn()
  assert.notEqual(direct.offer('acc_0', 1, NOW), null)
})

test('what is leased without a claim is bounded for all webhooks together', async (t) => {
  slowClock(t)
  const { url, arrived, answer } = await endpoint(t)
  const accounts = 200
  const { step, direct } = stage({ accounts, url })
  const first = step()
  for (let i = 0; i < accounts; i += 1) {
    await arrived(1)
    answer(204)
  }
  assert.equal(await first, accounts)
  const offers = Array.from({ length: accounts }, (_, i) => direct.offer(`acc_${i}`, 32, NOW))
  assert.equal(offers.filter((offer) => offer !== null).length * 32, 4_000)
})
