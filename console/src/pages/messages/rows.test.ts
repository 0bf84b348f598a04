// A live list: nothing is lost or duplicated, and what is being read stays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../../generated/types.gen'
import {
  firstRows,
  type LoadedMessages,
  paused,
  released,
  shownOf,
  waitingOf,
  withChange,
  withHead,
  withOlder,
} from './rows'

const message = (n: number, status = 'DELIVERED') =>
  ({ id: `msg_${String(n).padStart(4, '0')}`, status }) as Message
/** From n downward, three per page. */
const page = (n: number, last = 1): LoadedMessages => {
  const messages = [n, n - 1, n - 2].filter((one) => one >= last).map((one) => message(one))
  const hasMore = n - 2 > last
  return { messages, hasMore, next: hasMore ? messages.at(-1)!.id : null }
}
const numbers = (list: readonly Message[]) => list.map(({ id }) => Number(id.slice(4)))

test('a new page goes before the older ones without duplicates', () => {
  const rows = withOlder(firstRows(page(9)), page(6))
  assert.deepEqual(numbers(shownOf(rows)), [9, 8, 7, 6, 5, 4])
  const later = withHead(rows, page(10), false)
  assert.deepEqual(numbers(shownOf(later)), [10, 9, 8, 7, 6, 5, 4])
  assert.equal(later.next, 'msg_0004', 'older ones continue where they stopped')
})

test('a message that no longer matches is removed within the range of the page', () => {
  const rows = withOlder(firstRows(page(9)), page(6))
  const without = { messages: [message(9), message(7)], hasMore: true, next: 'msg_0007' }
  assert.deepEqual(numbers(shownOf(withHead(rows, without, false))), [9, 7, 6, 5, 4])
})

test('more than a page of new messages starts the list over, because a gap would be invisible', () => {
  const later = withHead(firstRows(page(9)), page(20), false)
  assert.deepEqual(numbers(shownOf(later)), [20, 19, 18])
  assert.equal(later.next, 'msg_0018')
})

test('while someone reads, new messages wait and are counted, and visible ones stay up to date', () => {
  const rows = paused(firstRows(page(9)))
  const failed = { ...page(11), messages: [message(11, 'FAILED'), message(10), message(9, 'READ')] }
  const later = withHead(rows, failed, true)
  assert.deepEqual(numbers(shownOf(later)), [9, 8, 7])
  assert.equal(shownOf(later)[0]!.status, 'READ')
  assert.deepEqual(waitingOf(later), { count: 2, failed: 1 })
  assert.deepEqual(numbers(shownOf(released(later, failed))), [11, 10, 9, 8, 7])
})

test('messages that waited after a burst are shown without a gap', () => {
  const later = withHead(paused(firstRows(page(9))), page(30), true)
  assert.deepEqual(numbers(shownOf(later)), [9, 8, 7], 'what is being read stays')
  assert.ok(later.hasGap)
  assert.deepEqual(numbers(shownOf(released(later, page(30)))), [30, 29, 28])
})

test('a paused empty list shows its first message only on request', () => {
  const empty: LoadedMessages = { messages: [], hasMore: false, next: null }
  const later = withHead(paused(firstRows(empty)), page(1), true)
  assert.deepEqual(waitingOf(later), { count: 1, failed: 0 })
  assert.deepEqual(numbers(shownOf(released(later, page(1)))), [1])
})

test('an event changes only its own row', () => {
  const rows = withChange(firstRows(page(9)), message(8, 'READ'))
  assert.deepEqual(
    shownOf(rows).map(({ status }) => status),
    ['DELIVERED', 'READ', 'DELIVERED'],
  )
  assert.equal(withChange(rows, message(99)), rows)
})
