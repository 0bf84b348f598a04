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
  assert.notEqual(again(31_249), first, 'it looks once a second')
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

test('busy endpoints with full buffers leave slots to others', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('busy', 4))
  const started = new Map<Endpoint, string[]>()
  const start = (endpoint: Endpoint, id: string) => {
    endpoint.start(id, 0)
    started.set(endpoint, [...(started.get(endpoint) ?? []), id])
  }
  for (const claim of claimsOf(board, 0)) makeQuick(claim)
  for (const { endpoint } of claimsOf(board, 0)) {
    for (let i = 0; endpoint.maySubmit(0); i += 1) start(endpoint, `${endpoint.webhookId}.${i}`)
  }
  assert.equal(board.underWay, 256)
  board.markReady(keysOf('other', 1))
  // Each response lets the next one in from the buffer, which never becomes empty.
  let hasSlot = false
  for (let round = 0; round < 200 && !hasSlot; round += 1) {
    hasSlot = claimsOf(board, 0).some(({ endpoint }) => endpoint.webhookId === 'other0')
    for (const [endpoint, ids] of started) {
      endpoint.finish(ids.shift()!, 'success', { nowMs: 0, ...QUICK })
      if (endpoint.maySubmit(0)) start(endpoint, `${endpoint.webhookId} ${round}`)
    }
  }
  assert.ok(hasSlot)
})

test('endpoints that take deliveries without a claim share the slots', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('quick', 8))
  const claims = claimsOf(board, 0)
  for (const claim of claims) makeQuick(claim)
  for (const { endpoint } of claims) endpoint.markExhausted()
  assert.equal(board.findDirect('a', 1, 0).length, 8)
  assert.deepEqual(board.findDirect('b', 1, 0), [])
  const [first, second, ...others] = claims.map(({ endpoint }) => endpoint) as [Endpoint, Endpoint]
  board.allotDirect(first, 0)
  for (let i = 0; first.maySubmit(0); i += 1) first.start(`a${i}`, 0)
  assert.equal(first.underWay, 64)
  for (const endpoint of [second, ...others]) {
    board.allotDirect(endpoint, 0)
    endpoint.start('x', 0)
  }
  board.allotDirect(second, 0)
  for (let i = 0; second.maySubmit(0); i += 1) second.start(`b${i}`, 0)
  assert.equal(second.underWay, 256 / 8)
})

test('an endpoint with something in the queue takes nothing without a claim', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('w', 1))
  const [claim] = claimsOf(board, 0) as [EndpointClaim]
  assert.deepEqual(board.findDirect('a', 1, 0), [], 'it has not answered yet')
  makeQuick(claim)
  assert.deepEqual(board.findDirect('a', 1, 0), [])
  claim.endpoint.markExhausted()
  assert.deepEqual(board.findDirect('a', 1, 0), [claim.endpoint])
  claim.endpoint.start('slow', 0)
  assert.deepEqual(board.findDirect('a', 1, 501), [], 'it is slow')
})

test('endpoints that take deliveries without a claim leave slots to those that need claims', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('busy', 4))
  const started = new Map<Endpoint, string[]>()
  for (const claim of claimsOf(board, 0)) {
    makeQuick(claim)
    claim.endpoint.markExhausted()
    started.set(claim.endpoint, [])
  }
  let count = 0
  const fill = () => {
    for (const [endpoint, ids] of started) {
      board.allotDirect(endpoint, 0)
      for (; endpoint.maySubmit(0); count += 1) {
        ids.push(`d${count}`)
        endpoint.start(`d${count}`, 0)
      }
    }
  }
  fill()
  assert.equal(board.underWay, 256)
  board.markReady(keysOf('other', 1))
  let hasSlot = false
  for (let round = 0; round < 200 && !hasSlot; round += 1) {
    hasSlot = claimsOf(board, 0).some(({ endpoint }) => endpoint.webhookId === 'other0')
    for (const [endpoint, ids] of started) {
      endpoint.finish(ids.shift()!, 'success', { nowMs: 0, ...QUICK })
    }
    fill()
  }
  assert.ok(hasSlot)
})
