// Receipts of the simulated carrier that cannot be kept when they come.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openLog } from '../kit/log.js'
import type { Receipt } from '../messages/carrier-port.js'
import { SimulatedReceipts } from './simulator.js'

const told = (messageId: string, ...statuses: Receipt['status'][]): Receipt[] =>
  statuses.map((status) => ({
    link: 'simulator',
    of: { accountId: 'acc_1', messageId },
    status,
    errorCode: null,
  }))

function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const kept: string[] = []
  const state = { isAway: true, tries: 0 }
  const receipts = new SimulatedReceipts(openLog('silent'))
  receipts.start({
    receipt: async ({ of, status }) => {
      state.tries += 1
      if (state.isAway) throw new Error('the database is away')
      kept.push(`${'messageId' in of ? of.messageId : ''} ${status}`)
    },
    inbound: async () => ({ messageId: null }),
    lateAnswer: async () => {},
  })
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  return { receipts, kept, state, pass }
}

test('a receipt that is not kept is repeated, less and less often, and the next one waits for it', async (t) => {
  const { receipts, kept, state, pass } = open(t)
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
  assert.deepEqual(kept.toSorted(), ['msg_1 DELIVERED', 'msg_2 DELIVERED'])
  await pass(50)
  assert.deepEqual(kept.slice(2), ['msg_1 READ'])
  await pass(60_000)
  assert.equal(kept.length, 3, 'each once')
})

test('what waits when the service stops is said before its end, and is not repeated after it', async (t) => {
  const { receipts, kept, state } = open(t)
  state.isAway = false
  receipts.send([told('msg_1', 'DELIVERED', 'READ')])
  await receipts.stop()
  assert.deepEqual(kept, ['msg_1 DELIVERED', 'msg_1 READ'])
  state.isAway = true
  receipts.send([told('msg_2', 'DELIVERED')])
  await receipts.stop()
  assert.equal(state.tries, 3)
})
