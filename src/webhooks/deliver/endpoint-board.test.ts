// Which endpoint gets how many slots next. Slots stay in use until released, and no endpoint is remembered forever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Endpoint } from './endpoint.js'
import { EndpointBoard, type EndpointClaim } from './endpoint-board.js'

const QUICK = { durationMs: 10, retryAfterMs: null }

const keysOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ accountId: 'a', subscriberId: `${name}${i}` }))

function claimsOf(board: EndpointBoard, nowMs: number): EndpointClaim[] {
  return [...board.allotClaims(nowMs).values()].flat()
}

function takeAll(claims: readonly EndpointClaim[], nowMs: number): void {
  for (const { endpoint, count } of claims) {
    for (let i = 0; i < count; i += 1) endpoint.start(`${endpoint.webhookId}.${i}`, nowMs)
  }
}

test('a slot in use is free for others only when it is released', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('first', 128))
  const first = claimsOf(board, 0)
  takeAll(first, 0)
  assert.equal(board.underWay, 256)
  board.markReady(keysOf('second', 10))
  assert.deepEqual(claimsOf(board, 1), [])
  const { endpoint } = first[0]!
  endpoint.markExhausted()
  endpoint.finish('first0.0', 'success', { nowMs: 2, ...QUICK })
  const next = claimsOf(board, 2)
  assert.deepEqual(
    next.map((claim) => [claim.endpoint.webhookId, claim.count]),
    [['second0', 1]],
  )
})

test('a busy endpoint gets its remaining slots', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('w', 1))
  const [claim] = claimsOf(board, 0) as [EndpointClaim]
  claim.endpoint.start('a', 0)
  assert.deepEqual(
    claimsOf(board, 1).map(({ count }) => count),
    [1],
  )
})

/** A fast endpoint, with the maximum number of slots and a buffer. */
function makeQuick({ endpoint }: EndpointClaim): void {
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`q${i}`, 0)
    endpoint.finish(`q${i}`, 'success', { nowMs: 0, ...QUICK })
  }
}

test('a fast endpoint gets its slots and also claims for its buffer', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('w', 1))
  const [first] = claimsOf(board, 0) as [EndpointClaim]
  makeQuick(first)
  const [claim] = claimsOf(board, 0) as [EndpointClaim]
  assert.equal(claim.count, 64 + 2 * 2, 'the buffer matches its previous slots')
  for (let i = 0; i < 64; i += 1) {
    assert.equal(claim.endpoint.maySubmit(0), true, `${i}`)
    claim.endpoint.start(`d${i}`, 0)
  }
  assert.equal(claim.endpoint.maySubmit(0), false)
  const [buffered] = claimsOf(board, 0) as [EndpointClaim]
  assert.equal(buffered.count, 2 * 64)
  for (let i = 0; i < 128; i += 1) buffered.endpoint.hold(`l${i}`)
  assert.deepEqual(claimsOf(board, 0), [], 'it has as many as it can use')
})

test('nothing is claimed into a buffer without a free slot and without work in progress', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('quick', 1))
  makeQuick(claimsOf(board, 0)[0]!)
  claimsOf(board, 0)[0]!.endpoint.markExhausted()
  board.markReady(keysOf('other', 128))
  takeAll(claimsOf(board, 0), 0)
  board.markReady(keysOf('quick', 1))
  assert.deepEqual(claimsOf(board, 1), [])
})

test('an endpoint that is idle for ten seconds after its pause is dropped with its failures', () => {
  const board = new EndpointBoard()
  const again = (nowMs: number) => {
    board.allotClaims(nowMs)
    board.markReady(keysOf('w', 1))
    const [claim] = claimsOf(board, nowMs) as [EndpointClaim]
    claim.endpoint.markExhausted()
    return claim.endpoint
  }
  const first = again(20_000)
  first.start('x', 20_000)
  first.finish('x', 'failure', { nowMs: 20_000, ...QUICK })
  assert.equal(again(30_249), first)
  assert.notEqual(again(30_250), first)
})

test('an endpoint’s own responses count more than its history', () => {
  const quick = new Endpoint('acc', 'whk')
  quick.start('a', 10_000)
  assert.equal(quick.isUnhealthy(10_400), false)
  quick.finish('a', 'success', { nowMs: 10_400, ...QUICK })
  quick.expectFailure()
  assert.equal(quick.isUnhealthy(10_400), false)
  const failing = new Endpoint('acc', 'whk')
  failing.expectFailure()
  failing.start('a', 10_000)
  failing.finish('a', 'failure', { nowMs: 10_000, ...QUICK })
  assert.deepEqual([failing.freeSlots(10_499), failing.freeSlots(10_500)], [0, 1], 'the second')
})
