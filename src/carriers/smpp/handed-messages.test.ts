// Who gets the answers of a batch and when, and how long a stop waits for messages without one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import type { SubmitAnswer } from '../../messages/carrier-port.js'
import { answerPlace, HandedMessages, openBatch } from './handed-messages.js'
import { OutgoingMessage } from './outgoing-message.js'

const SENT: SubmitAnswer = { kind: 'sent' }
const DOWN: SubmitAnswer = { kind: 'down' }
const message = () => new OutgoingMessage('a', submission(), [{ fields: {}, tlvs: [] }], 0)

function batchOf(size: number) {
  const results: SubmitAnswer[][] = []
  return { batch: openBatch(size, (answers) => void results.push(answers)), results }
}

test('a batch is settled once, when its last message has an answer, and its answers are in order', () => {
  const { batch, results } = batchOf(3)
  answerPlace({ batch, index: 2 }, DOWN)
  answerPlace({ batch, index: 0 }, SENT)
  assert.deepEqual(results, [])
  answerPlace({ batch, index: 1 }, { kind: 'slow_down' })
  assert.deepEqual(results, [[SENT, { kind: 'slow_down' }, DOWN]])
})

test('an empty batch is settled at once', () => {
  assert.deepEqual(batchOf(0).results, [[]])
  assert.deepEqual(batchOf(1).results, [])
})

test('messages are listed oldest first until they have an answer, and a second answer changes nothing', () => {
  const { batch, results } = batchOf(2)
  const handed = new HandedMessages()
  const [first, second] = [message(), message()]
  handed.add(first, { batch, index: 0 })
  handed.add(second, { batch, index: 1 })
  assert.deepEqual([handed.size, [...handed.messages()]], [2, [first, second]])
  handed.answer(first, SENT)
  handed.answer(first, DOWN)
  assert.deepEqual([handed.size, [...handed.messages()], results], [1, [second], []])
  handed.answer(second, DOWN)
  assert.deepEqual([handed.size, results], [0, [[SENT, DOWN]]])
})

test('a stop waits for the last answer, for nothing if there is none to wait for, and not forever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const handed = new HandedMessages()
  await handed.drain(1_000)

  const { batch } = batchOf(3)
  const [first, second, third] = [message(), message(), message()]
  for (const [index, one] of [first, second, third].entries()) handed.add(one, { batch, index })
  const ended: string[] = []
  const draining = handed.drain(1_000).then(() => ended.push('answered'))
  handed.answer(first, SENT)
  handed.answer(second, SENT)
  t.mock.timers.tick(999)
  await new Promise(setImmediate)
  assert.equal(ended.length, 0, 'one has no answer')
  handed.answer(third, SENT)
  await draining
  assert.equal(ended.join(), 'answered')

  handed.add(message(), { batch: batchOf(1).batch, index: 0 })
  const giving = handed.drain(1_000).then(() => ended.push('timeout'))
  t.mock.timers.tick(999)
  await new Promise(setImmediate)
  assert.equal(ended.length, 1)
  t.mock.timers.tick(1)
  await giving
  assert.equal(ended.join(), 'answered,timeout')
})
