// Who gets how many places next: what others have taken is theirs, and nobody is remembered for ever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Endpoint } from './endpoint.js'
import { EndpointBoard, type Turn } from './endpoint-board.js'

const QUICK = { durationMs: 10, retryAfterMs: null }

const keysOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ accountId: 'a', subscriberId: `${name}${i}` }))

function turnsOf(board: EndpointBoard, nowMs: number): Turn[] {
  return [...board.takeTurns(nowMs).values()].flat()
}

function takeAll(turns: readonly Turn[], nowMs: number): void {
  for (const { endpoint, wanted } of turns) {
    for (let i = 0; i < wanted; i += 1) endpoint.start(`${endpoint.webhookId}.${i}`, nowMs)
  }
}

test('places that are taken are nobody else’s, until one is free again', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('first', 128))
  const first = turnsOf(board, 0)
  takeAll(first, 0)
  assert.equal(board.underWay, 256)
  board.markReady(keysOf('second', 10))
  assert.deepEqual(turnsOf(board, 1), [])
  const { endpoint } = first[0]!
  endpoint.isReady = false
  endpoint.finish('first0.0', 'success', { nowMs: 2, ...QUICK })
  const next = turnsOf(board, 2)
  assert.deepEqual(
    next.map((turn) => [turn.endpoint.webhookId, turn.wanted]),
    [['second0', 1]],
  )
})

test('one that is at work gets the rest of its own places', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('w', 1))
  const [turn] = turnsOf(board, 0) as [Turn]
  turn.endpoint.start('a', 0)
  assert.deepEqual(
    turnsOf(board, 1).map(({ wanted }) => wanted),
    [1],
  )
})

/** Known to be quick: it has all places that one may have, and a line. */
function makeQuick({ endpoint }: Turn): void {
  for (let i = 0; i < 10; i += 1) {
    endpoint.start(`q${i}`, 0)
    endpoint.finish(`q${i}`, 'success', { nowMs: 0, ...QUICK })
  }
}

test('a quick one is granted its places, and claims what waits in line for them as well', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('w', 1))
  const [first] = turnsOf(board, 0) as [Turn]
  makeQuick(first)
  const [turn] = turnsOf(board, 0) as [Turn]
  assert.equal(turn.wanted, 64 + 2 * 2, 'the line is that of the places it had')
  for (let i = 0; i < 64; i += 1) {
    assert.equal(turn.endpoint.mayStart(0), true, `${i}`)
    turn.endpoint.start(`d${i}`, 0)
  }
  assert.equal(turn.endpoint.mayStart(0), false)
  const [line] = turnsOf(board, 0) as [Turn]
  assert.equal(line.wanted, 2 * 64)
  line.endpoint.line.push(...Array.from({ length: 128 }, (_, i) => `l${i}`))
  assert.deepEqual(turnsOf(board, 0), [], 'it has all that it can use')
})

test('nothing is claimed into a line where no place is left and nothing is under way', () => {
  const board = new EndpointBoard()
  board.markReady(keysOf('quick', 1))
  makeQuick(turnsOf(board, 0)[0]!)
  turnsOf(board, 0)[0]!.endpoint.isReady = false
  board.markReady(keysOf('other', 128))
  takeAll(turnsOf(board, 0), 0)
  board.markReady(keysOf('quick', 1))
  assert.deepEqual(turnsOf(board, 1), [])
})

test('one that has been idle for ten seconds after its rest is forgotten with its failures', () => {
  const board = new EndpointBoard()
  const again = (nowMs: number) => {
    board.takeTurns(nowMs)
    board.markReady(keysOf('w', 1))
    const [turn] = turnsOf(board, nowMs) as [Turn]
    turn.endpoint.isReady = false
    return turn.endpoint
  }
  const first = again(20_000)
  first.start('x', 20_000)
  first.finish('x', 'failure', { nowMs: 20_000, ...QUICK })
  assert.equal(again(30_249), first)
  assert.notEqual(again(30_250), first)
})

test('an endpoint’s own answers count more than what was known of it before', () => {
  const quick = new Endpoint('acc', 'whk')
  quick.start('a', 10_000)
  assert.equal(quick.isUnwell(10_400), false)
  quick.finish('a', 'success', { nowMs: 10_400, ...QUICK })
  quick.expectFailure()
  assert.equal(quick.isUnwell(10_400), false)
  const failing = new Endpoint('acc', 'whk')
  failing.expectFailure()
  failing.start('a', 10_000)
  failing.finish('a', 'failure', { nowMs: 10_000, ...QUICK })
  assert.deepEqual([failing.freePlaces(10_499), failing.freePlaces(10_500)], [0, 1], 'the second')
})
