// Repeated kill -9 of the service during sends, purchases, fees, and renewals. Other nodes keep running, and every
// successful request is in the ledger exactly once.

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findDrift } from '../../src/ledger/ledger-queries.js'
import { advanceTo } from '../billing-fixtures.js'
import { testService, thorough } from '../harness.js'
import { type Answer, type Random, runClients, type Stage, seeded } from './money-clients.js'
import { checkBooks, settle } from './money-model.js'
import { openModel, stock } from './money-stage.js'
import { forkNode } from './node-process.js'

const KILLS = thorough(8, 48)
const JUMPS = 4 // of the clock
const NODES = 3
const STARTS_MAX = 10 // of one node, in a row
const ACCOUNTS = 4
const SEED = Number(process.env.TEST_SEED ?? 11)
const DAY_MS = 24 * 60 * 60 * 1000

test('repeated kill -9 under load loses no money and charges nothing twice', async (t) => {
  t.diagnostic(`TEST_SEED=${SEED}`)
  const random = seeded(SEED)
  const service = await testService(t) // for the database and the clock; its loops do not run
  const { db, clock } = service.world
  await advanceTo(service, '2027-01-31T20:00:00.000Z')
  const models = await Promise.all(Array.from({ length: ACCOUNTS }, () => openModel(service, '60')))
  const forSale = await stock(service)
  const nodes = startNodes(t, service.databaseUrl, random)
  const gate = createGate()
  let isOver = false
  let answered = 0
  const stage: Stage = {
    db,
    forSale,
    now: () => clock.now(),
    isClockMoving: () => true,
    call: async ({ token }, method, url, body, key) => {
      const answer = await gate.pass(() => nodes.call(token, method, url, body, key))
      answered += 1
      return answer
    },
  }
  const acting = Promise.all(
    models.map(async (model) => {
      while (!isOver) await runClients(stage, model, random, { clients: 2, acts: 4 })
    }),
  )
  const kill = async (kills: number) => {
    const before = answered
    while (answered <= before + 5 && !nodes.isOver()) await sleep(10)
    await sleep(random(100))
    await nodes.killOne()
    assert.deepEqual(await findDrift(db), [], `after kill ${kills}`)
  }
  // Each round kills two of three nodes, which start again together. No client acts meanwhile: most of the time of this
  // test goes into starting nodes.
  const round = async (kills: number) => {
    await nodes.ready()
    if (kills % (KILLS / JUMPS) < 2) {
      const later = new Date(clock.now().getTime() + random(20 * DAY_MS)).toISOString()
      await gate.empty()
      await advanceTo(service, later)
      await nodes.follow(later, service.token)
    }
    gate.open()
    await kill(kills + 1)
    await kill(kills + 2)
    gate.close()
  }
  for (let kills = 0; kills < KILLS; kills += 2) await Promise.race([round(kills), acting])
  gate.open()
  isOver = true
  await acting
  const quietSince = clock.now()
  // Past every lease that a killed node held.
  await advanceTo(service, new Date(clock.now().getTime() + 3_600_000).toISOString())
  await settle(db, () => clock.now())
  nodes.stop()
  await checkBooks(db, models, quietSince)
  const entries = models.reduce((sum, model) => sum + model.entries.size, 0)
  t.diagnostic(
    `${answered} responses, ${entries} entries, ${nodes.lost()} requests cut off, ${nodes.failed()} failed`,
  )
  assert.ok(nodes.lost() > 0, 'some requests were cut off by a kill')
})

interface Gate {
  pass: <T>(work: () => Promise<T>) => Promise<T>
  /** Closed at first. */
  open: () => void
  close: () => void
  /** Waits until no request is inside. */
  empty: () => Promise<void>
}

// An idempotency key lasts a day. When the clock jumps by weeks, no client may be about to retry with a key, or send a
// request to a node whose clock has not moved yet.
function createGate(): Gate {
  const waiting: (() => void)[] = []
  let isOpen = false
  let inside = 0
  return {
    pass: async (work) => {
      while (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve))
      inside += 1
      try {
        return await work()
      } finally {
        inside -= 1
      }
    },
    open: () => {
      isOpen = true
      for (const enter of waiting.splice(0)) enter()
    },
    close: () => {
      isOpen = false
    },
    empty: async () => {
      while (inside > 0) await sleep(10)
    },
  }
}

interface Node {
  child: ChildProcess
  address: string
}

interface Nodes {
  /** Waits until all of them run. */
  ready: () => Promise<void>
  /** Kills one node and starts another in its place. */
  killOne: () => Promise<void>
  /** Retries until a node responds, which the idempotency key makes safe. */
  call: (
    token: string,
    method: string,
    url: string,
    body: object | undefined,
    key: string,
  ) => Promise<Answer>
  /** Waits until the clock of every node has reached this time. */
  follow: (time: string, token: string) => Promise<void>
  /** The number of requests without a response. */
  lost: () => number
  /** The number of 5xx responses. */
  failed: () => number
  /** The test has passed or failed: stop waiting. */
  isOver: () => boolean
  stop: () => void
}

function startNodes(t: TestContext, databaseUrl: string, random: Random): Nodes {
  const running: Node[] = []
  const starting = new Set<ChildProcess>()
  let lost = 0
  let failed = 0
  let isOver = false
  const stop = () => {
    isOver = true
    for (const child of [...starting, ...running.map((node) => node.child)]) child.kill('SIGKILL')
  }
  t.after(stop)
  const startOne = async (attempt = 1): Promise<void> => {
    const child = forkNode(databaseUrl)
    starting.add(child)
    const ready = once(child, 'message') as Promise<[{ address: string }]>
    const found = await Promise.race([ready, once(child, 'exit').then(() => null)])
    starting.delete(child)
    // On a busy machine the database may be too slow, and the start fails.
    assert.ok(found || isOver || attempt < STARTS_MAX, 'a node did not start')
    if (found) running.push({ child, address: found[0].address })
    else if (!isOver) await startOne(attempt + 1)
  }
  for (let i = 0; i < NODES; i += 1) void startOne()
  return {
    ready: async () => {
      while (running.length < NODES && !isOver) await sleep(10)
    },
    killOne: async () => {
      const [node] = running.splice(random(running.length), 1)
      node!.child.kill('SIGKILL')
      await once(node!.child, 'exit')
      void startOne()
    },
    call: async (token, method, url, body, key) => {
      while (!isOver) {
        const node = running[random(running.length)]!
        const answer = await request(`${node.address}${url}`, token, method, body, key)
        if (answer && answer.status < 500 && answer.body.code !== 'idempotency_in_flight') {
          return answer
        }
        if (!answer) lost += 1
        else if (answer.status >= 500) failed += 1 // retried, like no response
        await sleep(20)
      }
      throw new Error('the test has ended')
    },
    follow: async (time, token) => {
      for (const { address } of running) {
        for (let now = ''; now < time && !isOver; await sleep(20)) {
          const answer = await request(`${address}/v1/account`, token, 'GET', undefined, 'none')
          now = answer?.body.now ?? ''
        }
      }
    },
    lost: () => lost,
    failed: () => failed,
    isOver: () => isOver,
    stop,
  }
}

/** Null if the node died before it responded. */
async function request(
  url: string,
  token: string,
  method: string,
  body: object | undefined,
  key: string,
): Promise<Answer | null> {
  const headers = {
    authorization: `Bearer ${token}`,
    'idempotency-key': key,
    ...(body && { 'content-type': 'application/json' }),
  }
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return null
  }
}
