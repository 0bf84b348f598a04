// How many places an endpoint has, and that the unwell never take those of the well.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Endpoint, UNWELL_PLACES, WELL_PLACES } from './endpoint.js'
import { EndpointBoard, type Turn } from './endpoint-board.js'

const QUICK = { durationMs: 10, retryAfterMs: null }

function startMany(endpoint: Endpoint, count: number, nowMs: number): void {
  for (let i = 0; i < count; i += 1)
    endpoint.start(`dlv_${endpoint.webhookId}_${nowMs}_${i}`, nowMs)
}

test('an endpoint that answers gets more places, up to a limit', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const before = endpoint.freePlaces(0)
  for (let i = 0; i < 1_000; i += 1) {
    endpoint.start(`${i}`, i)
    endpoint.finish(`${i}`, 'success', { nowMs: i, ...QUICK })
  }
  assert.ok(endpoint.freePlaces(1_000) > before)
  assert.equal(endpoint.freePlaces(1_000), 64)
})

test('an endpoint that fails is tried one at a time, with rests that grow and end', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const rests: number[] = []
  let nowMs = 1_000
  for (let i = 0; i < 12; i += 1) {
    endpoint.start(`${i}`, nowMs)
    endpoint.finish(`${i}`, 'failure', { nowMs: nowMs + 5, ...QUICK })
    const failedAtMs = nowMs + 5
    nowMs = failedAtMs
    while (endpoint.freePlaces(nowMs) === 0) nowMs += 1
    assert.equal(endpoint.freePlaces(nowMs), 1)
    rests.push(nowMs - failedAtMs)
  }
  assert.deepEqual(rests.slice(0, 4), [250, 500, 1_000, 2_000])
  assert.equal(rests.at(-1), 10_000)
  endpoint.start('ok', nowMs)
  endpoint.finish('ok', 'success', { nowMs, ...QUICK })
  assert.ok(endpoint.freePlaces(nowMs) > 1)
  assert.equal(endpoint.isUnwell(nowMs), false)
})

test('tries that were under way together and fail together count as one failure', () => {
  const endpoint = new Endpoint('acc', 'whk')
  for (const id of ['a', 'b', 'c', 'd']) endpoint.start(id, 0)
  for (const id of ['a', 'b', 'c', 'd']) endpoint.finish(id, 'failure', { nowMs: 20, ...QUICK })
  assert.equal(endpoint.freePlaces(20 + 249), 0)
  assert.equal(endpoint.freePlaces(20 + 250), 1)
})

test('Retry-After rests the endpoint as a whole, for a minute at most', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, durationMs: 5, retryAfterMs: 30_000 })
  assert.equal(endpoint.freePlaces(29_999), 0)
  assert.equal(endpoint.freePlaces(30_000), 1)
  endpoint.start('b', 30_000)
  endpoint.finish('b', 'failure', { nowMs: 30_000, durationMs: 5, retryAfterMs: 3_600_000 })
  assert.equal(endpoint.freePlaces(89_999), 0)
  assert.equal(endpoint.mayStart(89_999), false)
  assert.equal(endpoint.freePlaces(90_000), 1)
})

test('a success after a failure ends the rest, and places begin anew and double', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const places: number[] = []
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, durationMs: 5, retryAfterMs: 30_000 })
  for (let i = 0; i < 7; i += 1) {
    endpoint.start(`${i}`, 1)
    endpoint.finish(`${i}`, 'success', { nowMs: 1, ...QUICK })
    places.push(endpoint.freePlaces(1))
  }
  assert.deepEqual(places, [2, 4, 8, 16, 32, 64, 64])
})

test('an endpoint that answers slowly keeps a few places, until it is quick again', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const answer = (durationMs: number) => {
    endpoint.start('x', 1)
    endpoint.finish('x', 'success', { nowMs: 1, durationMs, retryAfterMs: null })
    return endpoint.freePlaces(1)
  }
  for (let i = 0; i < 8; i += 1) answer(10)
  assert.equal(answer(501), 4)
  assert.equal(endpoint.wantedInLine(1), 0)
  assert.equal(answer(500), 64)
})

test('a try that was given up frees its place and says nothing of the endpoint', () => {
  const endpoint = new Endpoint('acc', 'whk')
  startMany(endpoint, 1, 0)
  endpoint.start('a', 0)
  assert.equal(endpoint.freePlaces(0), 0)
  endpoint.cancel('a')
  assert.deepEqual([endpoint.underWay, endpoint.freePlaces(0)], [1, 1])
  assert.equal(endpoint.isUnwell(0), false)
})

test('the places of a busy endpoint are filled a quarter at a time', () => {
  const endpoint = new Endpoint('acc', 'whk')
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`${i}`, 0)
    endpoint.finish(`${i}`, 'success', { nowMs: 0, ...QUICK })
  }
  startMany(endpoint, 49, 0)
  assert.equal(endpoint.freePlaces(0), 0, 'fifteen of 64 are worth no claim')
  endpoint.cancel(`dlv_whk_0_0`)
  assert.equal(endpoint.freePlaces(0), 16)
})

test('an answer that is awaited for long makes an endpoint unwell before it has come', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  assert.equal(endpoint.isUnwell(500), false)
  assert.equal(endpoint.isUnwell(501), true)
})

test('an endpoint that was failing before is not given places to find that out again', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.expectFailure()
  assert.equal(endpoint.isUnwell(0), true)
  assert.equal(endpoint.freePlaces(0), 1)
  endpoint.start('a', 0)
  endpoint.finish('a', 'success', { nowMs: 1, ...QUICK })
  endpoint.expectFailure()
  assert.equal(endpoint.isUnwell(1), false, 'its own answer counts more')
})

function turnsOf(board: EndpointBoard, nowMs: number): Turn[] {
  return [...board.takeTurns(nowMs).values()].flat()
}

function placesOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => sum + turn.wanted, 0)
}

test('however many endpoints hang, a healthy one finds a place at once', () => {
  const board = new EndpointBoard()
  let nowMs = 0
  // A thousand endpoints that take their events and never answer.
  for (let i = 0; i < 1_000; i += 1) {
    board.markReady([{ accountId: `acc${i % 7}`, subscriberId: `hang${i}` }])
  }
  for (; nowMs < 5_000; nowMs += 100) {
    for (const { endpoint, wanted } of turnsOf(board, nowMs)) startMany(endpoint, wanted, nowMs)
  }
  board.markReady([{ accountId: 'acc', subscriberId: 'healthy' }])
  const turn = turnsOf(board, nowMs).find(({ endpoint }) => endpoint.webhookId === 'healthy')
  assert.ok(turn && turn.wanted >= 1)
})

test('the places of each kind are never exceeded by one round of turns', () => {
  const board = new EndpointBoard()
  for (let i = 0; i < 500; i += 1) board.markReady([{ accountId: 'a', subscriberId: `w${i}` }])
  const first = turnsOf(board, 0)
  assert.equal(placesOf(first), WELL_PLACES)
  for (const { endpoint } of first) {
    endpoint.start('x', 0)
    endpoint.finish('x', 'failure', { nowMs: 1, ...QUICK })
  }
  const unwell = turnsOf(board, 100_000).filter(({ endpoint }) => endpoint.isUnwell(100_000))
  assert.equal(placesOf(unwell), UNWELL_PLACES)
})

test('there are 256 places for the well and 128 for the rest, shared by all who wait', () => {
  assert.deepEqual([WELL_PLACES, UNWELL_PLACES], [256, 128])
  const wantedOf = (count: number) => {
    const board = new EndpointBoard()
    board.markReady(
      Array.from({ length: count }, (_, i) => ({ accountId: 'a', subscriberId: `w${i}` })),
    )
    const turns = turnsOf(board, 0)
    return [turns.length, placesOf(turns), board.underWay]
  }
  assert.deepEqual(wantedOf(1), [1, 2, 0], 'as many as it may have at first')
  assert.deepEqual(wantedOf(200), [128, 256, 0], 'two each, until none are left')
  assert.deepEqual(wantedOf(300), [256, 256, 0], 'one each')
})

test('turns come by account, with what is under way of it counted', () => {
  const board = new EndpointBoard()
  board.markReady([
    { accountId: 'a', subscriberId: 'one' },
    { accountId: 'b', subscriberId: 'one' },
    { accountId: 'a', subscriberId: 'two' },
  ])
  const turns = board.takeTurns(0)
  const ids = [...turns].map(([account, own]) => [
    account,
    own.map((turn) => turn.endpoint.webhookId),
  ])
  assert.deepEqual(ids, [
    ['a', ['one', 'two']],
    ['b', ['one']],
  ])
  for (const { endpoint, wanted } of [...turns.values()].flat()) startMany(endpoint, wanted, 0)
  assert.equal(board.underWay, 6)
  assert.deepEqual(turnsOf(board, 1), [], 'all their places are taken')
})

test('an endpoint has no turn before something is due, nor after all of it was taken', () => {
  const endpoint = new Endpoint('acc', 'whk')
  assert.equal(endpoint.wantsTurn(0), false)
  assert.equal(endpoint.mayStart(0), false, 'nothing was granted')
  endpoint.isReady = true
  assert.equal(endpoint.wantsTurn(0), true)
  endpoint.grant(1)
  assert.equal(endpoint.mayStart(0), true)
  startMany(endpoint, 2, 0)
  assert.equal(endpoint.wantsTurn(0), false)
  const board = new EndpointBoard()
  assert.equal(board.isWaiting, false)
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  assert.equal(board.isWaiting, true)
  turnsOf(board, 0)[0]!.endpoint.isReady = false
  assert.equal(board.isWaiting, false)
})

test('a failure at the very moment of the last counts with it, a later one by itself', () => {
  const endpoint = new Endpoint('acc', 'whk')
  const fail = (id: string, nowMs: number) => endpoint.finish(id, 'failure', { nowMs, ...QUICK })
  endpoint.start('a', 0)
  fail('a', 20)
  endpoint.start('b', 20)
  fail('b', 30)
  assert.deepEqual([endpoint.freePlaces(279), endpoint.freePlaces(280)], [0, 1])
  endpoint.start('c', 31)
  fail('c', 40)
  assert.deepEqual([endpoint.freePlaces(539), endpoint.freePlaces(540)], [0, 1])
  fail('unknown', 600)
  assert.deepEqual([endpoint.freePlaces(1_599), endpoint.freePlaces(1_600)], [0, 1])
})

test('an endpoint that rested is remembered for ten seconds more, unless it is at work', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.start('a', 0)
  endpoint.finish('a', 'failure', { nowMs: 0, ...QUICK })
  assert.deepEqual([endpoint.isForgettable(10_249), endpoint.isForgettable(10_250)], [false, true])
  endpoint.isReady = true
  assert.equal(endpoint.isForgettable(20_000), false)
  endpoint.isReady = false
  endpoint.start('b', 20_000)
  assert.equal(endpoint.isForgettable(40_000), false)
})

test('whoever had a turn goes to the end of the line', () => {
  const board = new EndpointBoard()
  for (let i = 0; i < WELL_PLACES + 10; i += 1) {
    board.markReady([{ accountId: 'a', subscriberId: `w${i}` }])
  }
  const first = new Set(turnsOf(board, 0).map(({ endpoint }) => endpoint.webhookId))
  const second = turnsOf(board, 1).slice(0, 10)
  for (const { endpoint } of second) assert.equal(first.has(endpoint.webhookId), false)
})

test('an idle endpoint is forgotten, one that rests is not', () => {
  const board = new EndpointBoard()
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  const [turn] = turnsOf(board, 0)
  turn!.endpoint.start('x', 0)
  turn!.endpoint.finish('x', 'failure', { nowMs: 0, ...QUICK })
  turn!.endpoint.isReady = false
  board.takeTurns(100)
  board.markReady([{ accountId: 'a', subscriberId: 'w' }])
  assert.deepEqual(turnsOf(board, 100), [], 'it still rests')
})

test('only an endpoint that is quick has a line, two for each place that it was granted', () => {
  const endpoint = new Endpoint('acc', 'whk')
  endpoint.grant(8)
  assert.equal(endpoint.wantedInLine(0), 0, 'not yet known')
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`${i}`, i)
    endpoint.finish(`${i}`, 'success', { nowMs: i, ...QUICK })
  }
  assert.equal(endpoint.wantedInLine(10), 16)
  startMany(endpoint, 7, 10)
  assert.equal(endpoint.mayStart(10), true)
  startMany(endpoint, 1, 11)
  assert.equal(endpoint.mayStart(11), false, 'all places are taken')
  endpoint.line.push(...Array.from({ length: 8 }, (_, i) => `dlv_${i}`))
  assert.equal(endpoint.wantedInLine(11), 0, 'half of the line is enough')
  endpoint.line.shift()
  assert.equal(endpoint.wantedInLine(11), 9)
  assert.equal(endpoint.wantedInLine(10 + 501), 0, 'an answer is overdue')
})
