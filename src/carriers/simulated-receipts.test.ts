// Receipts of the simulated carrier that cannot be stored when they arrive.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openLog } from '../kit/log.js'
import type { Receipt } from '../messages/carrier-port.js'
import { SimulatedReceipts } from './simulator.js'

const told = (messageId: string, ...statuses: Receipt['status'][]): Receipt[] =>
  statuses.map((status) => ({
    link: 'simulator',
    of: { accountId: 'acc_1', id: messageId },
    status,
    errorCode: null,
  }))

function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const stored: string[] = []
  const state = { isAway: true, tries: 0 }
  const receipts = new SimulatedReceipts(openLog('silent'))
  receipts.start({
    receipt: async ({ of, status }) => {
      state.tries += 1
      if (state.isAway) throw new Error('the database is down')
      stored.push(`${'id' in of ? of.id : ''} ${status}`)
    },
    inbound: async () => ({ messageId: null }),
    lateAnswer: async () => {},
  })
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  return { receipts, stored, state, pass }
}

test('a receipt that cannot be stored is repeated with a growing delay, and the next one waits for it', async (t) => {
  const { receipts, stored, state, pass } = open(t)
  receipts.send([told('msg_1', 'DELIVERED', 'READ'), [], told('msg_2', 'DELIVERED')])
  await pass(50)
  assert.equal(state.tries, 2)
  for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before: number = state.tries
    await pass(ms - 1)
    assert.equal(state.tries, before, `not before ${ms} ms`)
    await pass(1)
    assert.equal(state.tries, before + 2, `after ${ms} ms`)
  }
  state.isAway = false
  await pass(30_000)
  assert.deepEqual(stored.toSorted(), ['msg_1 DELIVERED', 'msg_2 DELIVERED'])
  await pass(50)
  assert.deepEqual(stored.slice(2), ['msg_1 READ'])
  await pass(60_000)
  assert.equal(stored.length, 3, 'each once')
})

test('a stop delivers pending receipts first, and failed ones are not repeated afterwards', async (t) => {
  const { receipts, stored, state } = open(t)
  state.isAway = false
  receipts.send([told('msg_1', 'DELIVERED', 'READ')])
  await receipts.stop()
  assert.deepEqual(stored, ['msg_1 DELIVERED', 'msg_1 READ'])
  state.isAway = true
  receipts.send([told('msg_2', 'DELIVERED')])
  await receipts.stop()
  assert.equal(state.tries, 3)
})
