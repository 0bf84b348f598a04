// How many messages are written at a time, by which connection, and who is notified. The database is a stand-in
// that writes what it is given, at the test’s command.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hints } from '../../kit/hints.js'
import { Metrics } from '../../kit/metrics.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import { createAcceptor } from './accept-messages.js'
import type { NewMessage } from './accept-queries.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')

function messages(count: number, path: NewMessage['path'] = { kind: 'handoff' }): NewMessage[] {
  const address = { campaignId: 'cmp_1', from: '+14152000001', to: '+14155550107' }
  const content = { type: 'SMS', body: 'Hello', mediaUrls: [], metadata: {}, numSegments: 1 }
  const rest = { priceMicros: 1n, automatic: null, scheduledAt: null, validitySeconds: null }
  const one = { ...address, route: 'open', ...content, ...rest, once: null, path } as NewMessage
  return Array.from({ length: count }, () => one)
}

function stage() {
  const writes: { by: string; size: number; end: () => void }[] = []
  const writer = (by: string) => () => ({
    query: ({ values }: Statement) =>
      new Promise((resolve) => {
        const size = String(values.find((value) => String(value).startsWith('{msg_'))).split(
          ',',
        ).length
        writes.push({ by, size, end: () => resolve([{ count: size }]) })
      }),
  })
  const hints = new Hints()
  const heard: string[] = []
  hints.subscribe('messages', () => heard.push('messages'))
  const world = {
    db: { shareOf: writer('share'), pipeline: writer('pipeline'), pipelineOf: () => 'one' },
    clock: { now: () => NOW },
    hints,
    metrics: new Metrics(),
  } as unknown as World
  const acceptor = createAcceptor(world, (accountId, firstId, handed) =>
    heard.push(`${accountId} ${firstId} ${handed.length}`),
  )
  const accept = (...args: Parameters<typeof messages>) =>
    acceptor.acceptAll('acc_1', messages(...args))
  const begun = () => writes.map(({ by, size }) => `${by} ${size}`)
  return { accept, writes, begun, heard, world }
}

test('a thousand messages are written at a time, in at most three parallel writes', async () => {
  const { accept, writes, begun, world } = stage()
  const accepted = accept(4_001)
  assert.deepEqual(begun(), ['share 1000', 'share 1000', 'share 1000'])
  for (let i = 0; i < 5; i += 1) {
    writes[i]!.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const results = await accepted
  assert.deepEqual(begun().slice(3), ['share 1000', 'pipeline 1'])
  assert.equal(new Set(results.map((result) => 'id' in result && result.id)).size, 4_001)
  const [counter] = world.metrics.counters()
  assert.deepEqual(counter?.samples(), [{ labels: [], value: 4_001 }])
})

test('a second parallel write waits for 64 messages, a third for 200', async () => {
  const { accept, writes, begun } = stage()
  const accepted = [accept(1), accept(63)]
  assert.deepEqual(begun(), ['pipeline 1'])
  accepted.push(accept(1))
  assert.deepEqual(begun(), ['pipeline 1', 'pipeline 64'])
  accepted.push(accept(199))
  assert.deepEqual(begun().length, 2)
  accepted.push(accept(1))
  assert.deepEqual(begun(), ['pipeline 1', 'pipeline 64', 'share 200'], 'large ones have their own')
  for (const { end } of writes) end()
  await Promise.all(accepted)
})

test('handed-off messages go to the dispatcher here, queued ones trigger a hint', async () => {
  const { accept, writes, heard } = stage()
  const handed = accept(2)
  writes[0]!.end()
  const [first] = await handed
  assert.ok(first && 'id' in first)
  assert.deepEqual(heard, [`acc_1 ${first.id} 2`])
  const queued = accept(1, { kind: 'queue', dueAt: NOW })
  writes[1]!.end()
  await queued
  assert.deepEqual(heard.slice(1), ['messages'])
})
