// What a delivery is about, and when it is retried.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '../../generated/types.gen'
import { aboutOf, plannedAttempts } from './describe-webhook'

const AT = new Date('2026-11-15T12:00:00Z')
const after = (ms: number) => new Date(AT.getTime() + ms)
const hours = (times: Date[]) => times.map((at) => (at.getTime() - AT.getTime()) / 3_600_000)
const MINUTE = 60_000

test('planned attempts follow the documented delays, also after a replay', () => {
  const fromTheFirst = hours(plannedAttempts(AT, after(4_900), 1))
  assert.equal(fromTheFirst.length, 6, 'eight in all: one made, one due')
  const late = plannedAttempts(AT, after(9.5 * 60 * MINUTE), 7)
  assert.deepEqual(late, [], 'the eighth is the last')
  assert.equal(
    plannedAttempts(AT, after(5_000), 9).length,
    6,
    'after a replay of a failed delivery',
  )
  const asked = plannedAttempts(AT, after(90 * MINUTE), 2)
  assert.deepEqual(hours(asked), [2, 4, 9, 19, 29], 'Retry-After made the current delay longer')
})

test('a delivery is described by its event, or by its message before it is sent', () => {
  const wordsOf = (delivery: object) => {
    const { who, what } = aboutOf(delivery as Delivery)
    return `${who} ${what}`.trim()
  }
  const about = (data: object | null) =>
    wordsOf({ messageId: 'msg_1', requestBody: data && JSON.stringify({ data }) })
  const message = { direction: 'INBOUND', from: '+14155550100', to: '+14155550101', body: 'STOP' }
  assert.equal(about(null), 'msg_1')
  assert.equal(about({ message }), '(415)\u00a0555-0100 STOP')
  const sent = { ...message, direction: 'OUTBOUND', status: 'DELIVERED' }
  assert.equal(about({ message: sent }), '(415)\u00a0555-0101 Delivered')
  assert.equal(about({ recipient: '+14155550100' }), '(415)\u00a0555-0100 opted out')
  assert.equal(about({ change: 'ended', campaign: { displayName: 'Offers' } }), 'Offers ended')
  assert.equal(wordsOf({ messageId: null, requestBody: 'no JSON' }), '')
})
