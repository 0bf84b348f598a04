// Turns of requests: how many run at once, how many wait, what counts against the rate, and when waiting ends.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setMachineClock } from '../../test/machine-clock.js'
import { Clock } from '../kit/clock.js'
import { openLog } from '../kit/log.js'
import type { SubmitAnswer } from '../messages/carrier-port.js'
import { RequestQueue, type RequestQueueSettings, type RequestTurn } from './request-queue.js'

const SENT: SubmitAnswer = { kind: 'sent' }
const TOO_LATE: SubmitAnswer = { kind: 'slow_down', retryAfterMs: 1_000 }

function open(more: Partial<RequestQueueSettings> = {}): RequestQueue {
  const usual = { link: 'acme', concurrency: 2, perSecond: null, shared: false, timeoutMs: 10_000 }
  return new RequestQueue({ ...usual, ...more }, { clock: new Clock(), log: openLog('silent') })
}

/** Machine time that only `tick` moves, and what runs because of it. */
function machineTime(t: TestContext) {
  let nowMs = 1_000_000
  setMachineClock(t, () => nowMs)
  const settle = async () => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve()
  }
  return {
    settle,
    move: (ms: number) => {
      nowMs += ms
    },
  }
}

test('at most `concurrency` requests run at once, in order, and each gets its own answer', async () => {
  const queue = open({ concurrency: 2 })
  const started: number[] = []
  const ends: ((answer: SubmitAnswer) => void)[] = []
  const answers = [0, 1, 2].map((i) =>
    queue.run(() => {
      started.push(i)
      return new Promise((resolve) => ends.push(resolve))
    }),
  )
  await new Promise(setImmediate)
  assert.deepEqual(started, [0, 1])
  ends[1]!(SENT)
  await new Promise(setImmediate)
  assert.deepEqual(started, [0, 1, 2])
  ends[0]!({ kind: 'down' })
  ends[2]!({ kind: 'window_missed' })
  assert.deepEqual(await Promise.all(answers), [{ kind: 'down' }, SENT, { kind: 'window_missed' }])
})

test('a request that throws frees its place', async () => {
  const queue = open({ concurrency: 1, perSecond: 1_000 })
  const broken = queue.run(() => Promise.reject(new Error('broken')))
  const next = queue.run(async () => SENT)
  await assert.rejects(broken, /broken/)
  assert.deepEqual(await next, SENT)
})

test('twice the concurrency is handed over, or two seconds of the rate if that is less, but at least one', () => {
  for (const [concurrency, perSecond, capacity] of [
    [20, null, 40],
    [1, null, 2],
    [20, 100, 40],
    [20, 20, 40],
    [20, 19, 38],
    [20, 1.2, 3],
    [20, 0.5, 1],
    [20, 0.1, 1],
  ] as const) {
    assert.equal(open({ concurrency, perSecond }).capacity, capacity, `${concurrency} ${perSecond}`)
  }
  assert.equal(open({ perSecond: 100, shared: true }).capacity, 2, 'before it has a share')
})

test('the rate is shown, unless there is none', () => {
  assert.equal(open().rate, null)
  assert.deepEqual(open({ perSecond: 5 }).rate, { perSecond: 5, contract: 5 })
})

test('without a rate, turns are free', async () => {
  const queue = open()
  const answer = await queue.run(async (turn) => {
    turn.left()
    turn.answered()
    return SENT
  })
  assert.deepEqual(answer, SENT)
})

/** How many of five requests that do this get a turn at one moment, at one request per second. */
async function turnsAt(t: TestContext, use: (turn: RequestTurn) => void): Promise<number> {
  const { settle } = machineTime(t)
  const queue = open({ concurrency: 5, perSecond: 1 })
  let turns = 0
  for (let i = 0; i < 5; i += 1) {
    const answer = queue.run(async (turn) => {
      turns += 1
      use(turn)
      return SENT
    })
    answer.catch(() => {})
    await settle()
  }
  await queue.stop()
  return turns
}

test('a request that ends without being sent does not count against the rate', async (t) => {
  assert.equal(await turnsAt(t, () => {}), 5)
  assert.equal(await turnsAt(t, (turn) => turn.answered()), 5)
})

test('a request that was sent counts, with or without a response', async (t) => {
  assert.equal(await turnsAt(t, (turn) => turn.left()), 1)
  const answered = (turn: RequestTurn) => {
    turn.left()
    turn.answered()
  }
  assert.equal(await turnsAt(t, answered), 1)
})

test('a request counts until a second after its end, and five seconds longer while it has none', async (t) => {
  for (const [end, countsUntilMs] of [
    ['answered', 1_010],
    ['lost', 1_010],
    ['open', 6_010],
  ] as const) {
    const { move } = machineTime(t)
    const queue = open({ concurrency: 5, perSecond: 1 })
    let finish = () => {}
    const first = queue.run((turn) => {
      turn.left()
      if (end === 'answered') turn.answered()
      if (end !== 'open') return Promise.resolve(SENT)
      return new Promise((resolve) => {
        finish = () => resolve(SENT)
      })
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    let isOver = false
    const second = queue
      .run(async () => SENT)
      .finally(() => {
        isOver = true
      })
    move(countsUntilMs - 100)
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.equal(isOver, false, end)
    move(200)
    assert.deepEqual(await second, SENT)
    finish()
    await first
    t.mock.restoreAll()
  }
})

test('a shared rate is used from the first request on, and given back at the end', async (t) => {
  const query = async () => []
  const db = { query, transaction: (work: (tx: object) => Promise<unknown>) => work({ query }) }
  const settings = { link: 'acme', concurrency: 2, perSecond: 9, shared: true, timeoutMs: 1 }
  const world = { clock: new Clock(), log: openLog('silent'), db }
  const queue = new RequestQueue(
    settings,
    world as unknown as ConstructorParameters<typeof RequestQueue>[1],
  )
  await queue.stop()
  assert.deepEqual(queue.rate, { perSecond: 0, contract: 0 }, 'no request, no share')
  const busy = new RequestQueue(
    settings,
    world as unknown as ConstructorParameters<typeof RequestQueue>[1],
  )
  t.after(() => busy.stop())
  assert.deepEqual(await busy.run(async () => SENT), SENT)
  assert.deepEqual(busy.rate, { perSecond: 1, contract: 1 }, 'as much as it needs for now')
  await busy.stop()
  assert.deepEqual(busy.rate, { perSecond: 0, contract: 0 })
})

test('a request waits for its turn as long as the timeout leaves room, then it is not sent', async (t) => {
  for (const [timeoutMs, waitMs] of [
    [10_000, 20_000],
    [29_000, 1_000],
    [40_000, 1_000],
  ] as const) {
    const { move } = machineTime(t)
    const queue = open({ perSecond: 0.01, timeoutMs, concurrency: 3 })
    await queue.run(async (turn) => {
      turn.left()
      return SENT
    })
    let isOver = false
    const late = queue
      .run(() => assert.fail('its turn did not come'))
      .finally(() => {
        isOver = true
      })
    await new Promise((resolve) => setTimeout(resolve, 60))
    move(waitMs - 1)
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.equal(isOver, false, `it still waits after ${waitMs - 1} ms`)
    move(1)
    assert.deepEqual(await late, TOO_LATE)
    t.mock.restoreAll()
  }
})

test('a stop ends the wait of requests that have no turn yet', async () => {
  const queue = open({ perSecond: 0.01, concurrency: 3 })
  await queue.run(async (turn) => {
    turn.left()
    return SENT
  })
  const waiting = [1, 2].map(() => queue.run(() => assert.fail('it has no turn')))
  await queue.stop()
  assert.deepEqual(await Promise.all(waiting), [TOO_LATE, TOO_LATE])
})
