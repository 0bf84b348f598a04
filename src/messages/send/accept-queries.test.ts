// Which statement accepts a batch: the shortest one that covers it, because this runs for every message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Statement } from '../../kit/postgres/sql.js'
import { insertAccepted, type NewMessage } from './accept-queries.js'
import { type BatchKind, statementFor } from './accept-statement-queries.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')
const QUEUE = { kind: 'queue', dueAt: NOW } as const

function message(change: Partial<NewMessage> = {}): NewMessage {
  const address = { campaignId: 'cmp_1', from: '+14152000001', to: '+14155550107', route: 'open' }
  const content = { type: 'SMS', body: 'Hello', mediaUrls: [], metadata: {}, numSegments: 1 }
  const rest = { priceMicros: 1n, automatic: null, scheduledAt: null, validitySeconds: null }
  const handed = { path: { kind: 'handoff' }, once: null }
  return { ...address, ...content, ...rest, ...handed, ...change } as NewMessage
}

/** The kind of statement used for these. */
async function kindOf(...messages: NewMessage[]): Promise<BatchKind> {
  let used: Statement | undefined
  const query = async (statement: Statement) => {
    used = statement
    return [{ count: messages.length }]
  }
  const ids = messages.map((_, i) => `msg_${i}`)
  await insertAccepted({ query } as Queryable, 'acc_1', { now: NOW, ids, messages })
  const kinds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((bits) => ({
    isPlain: (bits & 1) > 0,
    isKeyed: (bits & 2) > 0,
    isQueued: (bits & 4) > 0,
    isHandedOff: (bits & 8) > 0,
  }))
  const kind = kinds.find((one) => statementFor(one) === used?.text)
  assert.ok(kind && used)
  const parameters = [...used.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  assert.equal(Math.max(...parameters), used.values.length, 'every parameter has a value')
  return kind
}

test('a plain text that is handed off uses the shortest statement', async () => {
  assert.deepEqual(await kindOf(message(), message()), {
    isPlain: true,
    isKeyed: false,
    isQueued: false,
    isHandedOff: true,
  })
})

test('one message that is more than plain text makes the statement longer for its batch', async () => {
  const more: Partial<NewMessage>[] = [
    { type: 'MMS' },
    { automatic: 'HELP' },
    { scheduledAt: NOW },
    { validitySeconds: 60 },
  ]
  for (const change of more) {
    const { isPlain } = await kindOf(message(), message(change))
    assert.equal(isPlain, false, JSON.stringify(change))
  }
})

test('keys, the queue, and a handoff each add their part if one message needs it', async () => {
  const once = { key: 'order 1', requestHash: Buffer.from('x') }
  const seen = async (...messages: NewMessage[]) => {
    const { isKeyed, isQueued, isHandedOff } = await kindOf(...messages)
    return [isKeyed, isQueued, isHandedOff]
  }
  assert.deepEqual(await seen(message(), message({ once })), [true, false, true])
  assert.deepEqual(await seen(message({ path: QUEUE })), [false, true, false])
  assert.deepEqual(await seen(message(), message({ path: QUEUE })), [false, true, true])
})
