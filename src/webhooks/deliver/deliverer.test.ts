// When the deliverer checks for work, what it leases, and that a step lasts until everything is recorded. The
// database is a stand-in that returns what the test defines as due. The endpoint is a server on loopback.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
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
  const lists = values.filter((value) => Array.isArray(value)) as [string[], number[]]
  const accountId = values.find((value) => typeof value === 'string') as string
  return { subscribers: lists[0], slots: lists[1][0]!, accountId }
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
    if (text.includes('with due as')) {
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
    if (text.includes('insert into event_arrivals')) {
      await beforeRecord?.()
      seen.recorded.push(String(values[3]))
    }
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
  const { loop } = new Deliverer(world, async () => new Map())
  return { step: (signal = never) => loop.step(signal), hints, seen }
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
    const { step, seen } = stage({ accounts: 1, url, beforeRecord: () => opened })
    let isOver = false
    const handled = step(stopping.signal).finally(() => {
      isOver = true
    })
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
