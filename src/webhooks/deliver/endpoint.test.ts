// How many slots an endpoint has, and that unhealthy endpoints never take those of healthy ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Endpoint, HEALTHY_SLOTS, UNHEALTHY_SLOTS } from './endpoint.js'
import { EndpointBoard, type EndpointClaim } from './endpoint-board.js'

const QUICK = { durationMs: 10, retryAfterMs: null }

function startMany(endpoint: Endpoint, count: number, nowMs: number): void {
  for (let i = 0; i < count; i += 1)
    endpoint.start(`dlv_${endpoint.webhookId}_${nowMs}_${i}`, nowMs)
}

test('an endpoint that responds gets more slots, up to a limit', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const before = endpoint.freeSlots(0)
  for (let i = 0; i < 1_000; i += 1) {
    endpoint.start(`${i}`, i)
    endpoint.finish(`${i}`, 'success', { nowMs: i, ...QUICK })
  }
  assert.ok(endpoint.freeSlots(1_000) > before)
  assert.equal(endpoint.freeSlots(1_000), 64)
})

test('a failing endpoint gets one attempt at a time, with growing pauses', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const rests: number[] = []
  let nowMs = 1_000
  for (let i = 0; i < 12; i += 1) {
    endpoint.start(`${i}`, nowMs)
    endpoint.finish(`${i}`, 'failure', { nowMs: nowMs + 5, ...QUICK })
    const failedAtMs = nowMs + 5
    nowMs = failedAtMs
    while (endpoint.freeSlots(nowMs) === 0) nowMs += 1
    assert.equal(endpoint.freeSlots(nowMs), 1)
    rests.push(nowMs - failedAtMs)
  }
  assert.deepEqual(rests.slice(0, 4), [250, 500, 1_000, 2_000])
  assert.equal(rests.at(-1), 10_000)
  endpoint.start('ok', nowMs)
  endpoint.finish('ok', 'success', { nowMs, ...QUICK })
  assert.ok(endpoint.freeSlots(nowMs) > 1)
  assert.equal(endpoint.isUnhealthy(nowMs), false)
})

test('parallel attempts that fail together count as one failure', () => {
  const endpoint = new Endpoint('acc', 'whk')
  for (const id of ['a', 'b', 'c', 'd']) endpoint.start(id, 0)
  for (const id of ['a', 'b', 'c', 'd']) endpoint.finish(id, 'failure', { nowMs: 20, ...QUICK })
  assert.equal(endpoint.freeSlots(20 + 249), 0)
  assert.equal(endpoint.freeSlots(20 + 250), 1)
})

test('Retry-After pauses the whole endpoint, for at most a minute', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, durationMs: 5, retryAfterMs: 30_000 })
  assert.equal(endpoint.freeSlots(29_999), 0)
  assert.equal(endpoint.freeSlots(30_000), 1)
  endpoint.start('b', 30_000)
  endpoint.finish('b', 'failure', { nowMs: 30_000, durationMs: 5, retryAfterMs: 3_600_000 })
  assert.equal(endpoint.freeSlots(89_999), 0)
  assert.equal(endpoint.maySubmit(89_999), false)
  assert.equal(endpoint.freeSlots(90_000), 1)
})

test('a success after a failure ends the pause, and slots start over and double', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const slots: number[] = []
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, durationMs: 5, retryAfterMs: 30_000 })
  for (let i = 0; i < 7; i += 1) {
    endpoint.start(`${i}`, 1)
    endpoint.finish(`${i}`, 'success', { nowMs: 1, ...QUICK })
    slots.push(endpoint.freeSlots(1))
  }
  assert.deepEqual(slots, [2, 4, 8, 16, 32, 64, 64])
})

test('a slow endpoint keeps a few slots until it is fast again', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const answer = (durationMs: number) => {
    endpoint.start('x', 1)
    endpoint.finish('x', 'success', { nowMs: 1, durationMs, retryAfterMs: null })
    return endpoint.freeSlots(1)
  }
  for (let i = 0; i < 8; i += 1) answer(10)
  assert.equal(answer(501), 4)
  assert.equal(endpoint.roomInBuffer(1), 0)
  assert.equal(answer(500), 64)
})

test('an aborted attempt frees its slot and proves nothing about the endpoint', () => {
  const endpoint = new Endpoint('acc', 'whk')
  startMany(endpoint, 1, 0)
  endpoint.start('a', 0)
  assert.equal(endpoint.freeSlots(0), 0)
  endpoint.cancel('a')
  assert.deepEqual([endpoint.underWay, endpoint.freeSlots(0)], [1, 1])
  assert.equal(endpoint.isUnhealthy(0), false)
})

test('the slots of a busy endpoint are filled a quarter at a time', () => {
  const endpoint = new Endpoint('acc', 'whk')
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`${i}`, 0)
    endpoint.finish(`${i}`, 'success', { nowMs: 0, ...QUICK })
  }
  startMany(endpoint, 49, 0)
  assert.equal(endpoint.freeSlots(0), 0, 'fifteen of 64 are not worth a claim')
  endpoint.cancel(`dlv_whk_0_0`)
  assert.equal(endpoint.freeSlots(0), 16)
})

test('a long wait for a response makes an endpoint unhealthy before it arrives', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  assert.equal(endpoint.isUnhealthy(500), false)
  assert.equal(endpoint.isUnhealthy(501), true)
})

test('an endpoint with a history of failures gets only one slot at first', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.expectFailure()
  assert.equal(endpoint.isUnhealthy(0), true)
  assert.equal(endpoint.freeSlots(0), 1)
  endpoint.start('a', 0)
  endpoint.finish('a', 'success', { nowMs: 1, ...QUICK })
  endpoint.expectFailure()
  assert.equal(endpoint.isUnhealthy(1), false, 'its own response counts more')
})

function claimsOf(board: EndpointBoard, nowMs: number): EndpointClaim[] {
  return [...board.allotClaims(nowMs).values()].flat()
}

function slotsOf(claims: readonly EndpointClaim[]): number {
  return claims.reduce((sum, claim) => sum + claim.count, 0)
}

test('however many endpoints hang, a healthy one finds a slot immediately', () => {
  const board = new EndpointBoard()
  let nowMs = 0
  // A thousand endpoints that accept their events and never respond.
  for (let i = 0; i < 1_000; i += 1) {
    board.markReady([{ accountId: `acc${i % 7}`, subscriberId: `hang${i}` }])
  }
  for (; nowMs < 5_000; nowMs += 100) {
    for (const { endpoint, count } of claimsOf(board, nowMs)) startMany(endpoint, count, nowMs)
  }
  board.markReady([{ accountId: 'acc', subscriberId: 'healthy' }])
  const claim = claimsOf(board, nowMs).find(({ endpoint }) => endpoint.webhookId === 'healthy')
  assert.ok(claim && claim.count >= 1)
})

test('one round of claims never exceeds the slots of each kind', () => {
  const board = new EndpointBoard()
  for (let i = 0; i < 500; i += 1) board.markReady([{ accountId: 'a', subscriberId: `w${i}` }])
  const first = claimsOf(board, 0)
  assert.equal(slotsOf(first), HEALTHY_SLOTS)
  for (const { endpoint } of first) {
    endpoint.start('x', 0)
    endpoint.finish('x', 'failure', { nowMs: 1, ...QUICK })
  }
  const unhealthy = claimsOf(board, 100_000).filter(({ endpoint }) => endpoint.isUnhealthy(100_000))
  assert.equal(slotsOf(unhealthy), UNHEALTHY_SLOTS)
})

test('healthy endpoints share 256 slots, all others share 128', () => {
  assert.deepEqual([HEALTHY_SLOTS, UNHEALTHY_SLOTS], [256, 128])
  const wantedOf = (count: number) => {
    const board = new EndpointBoard()
    board.markReady(
      Array.from({ length: count }, (_, i) => ({ accountId: 'a', subscriberId: `w${i}` })),
    )
    const claims = claimsOf(board, 0)
    return [claims.length, slotsOf(claims), board.underWay]
  }
  assert.deepEqual(wantedOf(1), [1, 2, 0], 'as many as it may have at first')
  assert.deepEqual(wantedOf(200), [128, 256, 0], 'two each, until none are left')
  assert.deepEqual(wantedOf(300), [256, 256, 0], 'one each')
})

test('claims come by account, and work in progress counts', () => {
  const board = new EndpointBoard()
  board.markReady([
    { accountId: 'a', subscriberId: 'one' },
    { accountId: 'b', subscriberId: 'one' },
    { accountId: 'a', subscriberId: 'two' },
  ])
  const claims = board.allotClaims(0)
  const ids = [...claims].map(([account, own]) => [
    account,
    own.map((claim) => claim.endpoint.webhookId),
  ])
  assert.deepEqual(ids, [
    ['a', ['one', 'two']],
    ['b', ['one']],
  ])
  for (const { endpoint, count } of [...claims.values()].flat()) startMany(endpoint, count, 0)
  assert.equal(board.underWay, 6)
  assert.deepEqual(claimsOf(board, 1), [], 'all their slots are in use')
})

test('nothing is claimed for an endpoint before something is due or after all of it was claimed', () => {
  const endpoint = new Endpoint('acc', 'whk')
  assert.equal(endpoint.wantsClaim(0), false)
  assert.equal(endpoint.maySubmit(0), false, 'no slot was assigned')
  endpoint.markReady()
  assert.equal(endpoint.wantsClaim(0), true)
  endpoint.allot(1)
  assert.equal(endpoint.maySubmit(0), true)
  startMany(endpoint, 2, 0)
  assert.equal(endpoint.wantsClaim(0), false)
  const board = new EndpointBoard()
  assert.deepEqual(claimsOf(board, 0), [])
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  claimsOf(board, 0)[0]!.endpoint.markExhausted()
  assert.deepEqual(claimsOf(board, 0), [])
})

test('simultaneous failures count once, a later one counts separately', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const fail = (id: string, nowMs: number) => endpoint.finish(id, 'failure', { nowMs, ...QUICK })
  endpoint.start('a', 0)
  fail('a', 20)
  endpoint.start('b', 20)
  fail('b', 30)
  assert.deepEqual([endpoint.freeSlots(279), endpoint.freeSlots(280)], [0, 1])
  endpoint.start('c', 31)
  fail('c', 40)
  assert.deepEqual([endpoint.freeSlots(539), endpoint.freeSlots(540)], [0, 1])
  endpoint.start('d', 600)
  fail('d', 600)
  assert.deepEqual([endpoint.freeSlots(1_599), endpoint.freeSlots(1_600)], [0, 1])
})

test('a paused endpoint is remembered for ten more seconds, unless it is busy', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, ...QUICK })
  assert.deepEqual([endpoint.isEvictable(10_249), endpoint.isEvictable(10_250)], [false, true])
  endpoint.markReady()
  assert.equal(endpoint.isEvictable(20_000), false)
  endpoint.markExhausted()
  endpoint.start('b', 20_000)
  assert.equal(endpoint.isEvictable(40_000), false)
})

test('an endpoint that got its share goes to the end of the queue', () => {
  const board = new EndpointBoard()
  for (let i = 0; i < HEALTHY_SLOTS + 10; i += 1) {
    board.markReady([{ accountId: 'a', subscriberId: `w${i}` }])
  }
  const first = new Set(claimsOf(board, 0).map(({ endpoint }) => endpoint.webhookId))
  const second = claimsOf(board, 1).slice(0, 10)
  for (const { endpoint } of second) assert.equal(first.has(endpoint.webhookId), false)
})

test('an idle endpoint is dropped, and a paused one is not', () => {
  const board = new EndpointBoard()
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  const [claim] = claimsOf(board, 0)
  claim!.endpoint.start('x', 0)
  claim!.endpoint.finish('x', 'failure', { nowMs: 0, ...QUICK })
  claim!.endpoint.markExhausted()
  board.allotClaims(100)
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  assert.deepEqual(claimsOf(board, 100), [], 'it is still paused')
})

test('only a fast endpoint has a buffer, two for each slot', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.allot(8)
  assert.equal(endpoint.roomInBuffer(0), 0, 'its speed is unknown')
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`${i}`, i)
    endpoint.finish(`${i}`, 'success', { nowMs: i, ...QUICK })
  }
  assert.equal(endpoint.roomInBuffer(10), 16)
  startMany(endpoint, 7, 10)
  assert.equal(endpoint.maySubmit(10), true)
  startMany(endpoint, 1, 11)
  assert.equal(endpoint.maySubmit(11), false, 'all slots are in use')
  for (let i = 0; i < 8; i += 1) endpoint.hold(`dlv_${i}`)
  assert.equal(endpoint.roomInBuffer(11), 0, 'half of the buffer is enough')
  for (const id of endpoint.releaseBuffer().slice(1)) endpoint.hold(id)
  assert.equal(endpoint.roomInBuffer(11), 9)
  assert.equal(endpoint.roomInBuffer(10 + 501), 0, 'a response is overdue')
})

test('a delivery is held, submitted to a free slot, and finished or canceled once', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.hold('a')
  endpoint.hold('b')
  assert.throws(() => endpoint.submitNext(0), /no slot is free/)
  endpoint.allot(2)
  assert.equal(endpoint.next, 'a')
  endpoint.submitNext(0)
  assert.deepEqual([endpoint.next, endpoint.buffered, endpoint.underWay], ['b', 1, 1])
  assert.throws(() => endpoint.hold('a'), /is in progress/)
  assert.throws(() => endpoint.start('a', 0), /is in progress/)
  assert.deepEqual(endpoint.releaseBuffer(), ['b'])
  assert.deepEqual([endpoint.next, endpoint.buffered], [undefined, 0])
  assert.throws(() => endpoint.submitNext(0), /buffer is empty/)
  endpoint.cancel('a')
  assert.throws(() => endpoint.cancel('a'), /not in progress/)
  assert.throws(() => endpoint.finish('a', 'success', { nowMs: 0, ...QUICK }), /not in progress/)
})
