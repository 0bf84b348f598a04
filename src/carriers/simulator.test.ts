// The sandbox carrier: what each recipient's number decides, and which receipts follow.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { submission } from '../../test/smpp-fixtures.js'
import { openLog } from '../kit/log.js'
import type { CarrierListener, Receipt, SubmitAnswer } from '../messages/carrier-port.js'
import { createNoCarrier, createSimulator, magicOf, networkOf } from './simulator.js'

const SENT = { kind: 'sent' } as const
const SLOW_DOWN = { kind: 'slow_down' } as const
const failed = (errorCode: number) => ({ kind: 'failed', errorCode }) as const

async function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const simulator = createSimulator(openLog('silent'))
  const receipts: Receipt[] = []
  const listener = { receipt: async (receipt: Receipt) => void receipts.push(receipt) }
  await simulator.start(listener as unknown as CarrierListener)
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
  }
  const submit = async (batch: Parameters<typeof simulator.submit>[0]) => {
    const answers = simulator.submit(batch)
    await new Promise(setImmediate)
    await pass(5)
    return answers
  }
  return { simulator, receipts, pass, submit }
}

test('the last digit of a number decides its network', () => {
  const networks = Array.from({ length: 10 }, (_, digit) => networkOf(`+1415555010${digit}`))
  assert.deepEqual(networks, [
    ...['att', 'att', 'att', 'att'],
    ...['tmo', 'tmo', 'tmo'],
    ...['vzw', 'vzw', 'vzw'],
  ])
})

test('each magic number has its own outcome at each attempt, and every other number is delivered', async (t) => {
  const { receipts, pass, submit } = await open(t)
  for (const [to, attempt, answer, statuses] of [
    ['+14155550110', 1, failed(1350), []],
    ['+14155550120', 1, failed(1360), []],
    ['+14155550130', 1, failed(1320), []],
    ['+14155550140', 1, SLOW_DOWN, []],
    ['+14155550140', 2, SLOW_DOWN, []],
    ['+14155550140', 3, SENT, ['DELIVERED']],
    ['+14155550150', 1, SENT, []],
    ['+14155550160', 1, SLOW_DOWN, []],
    ['+14155550160', 9, SLOW_DOWN, []],
    ['+14155550170', 1, SENT, ['DELIVERED', 'READ']],
    ['+14155550180', 1, failed(1370), []],
    ['+14155550190', 1, SENT, ['DELIVERED']],
    ['+14155560110', 1, SENT, ['DELIVERED']], // not in 555-01xx
    ['+14155550210', 1, SENT, ['DELIVERED']],
    ['+12125550110', 1, failed(1350), []], // in any area
  ] as [string, number, SubmitAnswer, string[]][]) {
    receipts.length = 0
    const answers = await submit([submission({ to, attempt })])
    assert.deepEqual(answers, [answer], `${to} ${attempt}`)
    await pass(50)
    await pass(50)
    assert.deepEqual(
      receipts.map(({ status }) => status),
      statuses,
      `${to} ${attempt}`,
    )
  }
  assert.equal(magicOf('+14155550190'), null)
  assert.ok(magicOf('+14155550110'))
})

test('a receipt names the message by our ID, 50 ms after the response', async (t) => {
  const { receipts, pass, submit, simulator } = await open(t)
  await submit([submission({ id: 'msg_7', to: '+14155552000' })])
  await pass(49)
  assert.deepEqual(receipts, [])
  await pass(1)
  const of = { accountId: 'acc_1', id: 'msg_7' }
  assert.deepEqual(receipts, [{ link: 'simulator', of, status: 'DELIVERED', errorCode: null }])
  assert.deepEqual([simulator.name, simulator.isSimulated], ['simulator', true])
})

test('a message without a permit does not leave, and the others of its batch do', async (t) => {
  const { receipts, pass, submit } = await open(t)
  const asked: string[] = []
  const requestPermit = async (link: string) => {
    asked.push(link)
    return null
  }
  const to = '+14155552000'
  const answers = await submit([submission({ to, requestPermit }), submission({ to })])
  assert.deepEqual([answers, asked], [[{ kind: 'window_missed' }, SENT], ['simulator']])
  await pass(50)
  assert.equal(receipts.length, 1)
})

test('after a restart, receipts follow for messages that were accepted before', async (t) => {
  const { simulator, receipts, pass } = await open(t)
  const accepted = ['+14155550140', '+14155550150', '+14155550170', '+14155552000'].map((to, i) =>
    submission({ id: `msg_${i}`, to }),
  )
  simulator.resume(accepted)
  await pass(50)
  await pass(50)
  assert.deepEqual(
    receipts.map(({ of, status }) => `${'id' in of ? of.id : ''} ${status}`),
    ['msg_0 DELIVERED', 'msg_2 DELIVERED', 'msg_3 DELIVERED', 'msg_2 READ'],
  )
})

test('without a carrier, nothing is sent and nothing comes back', async () => {
  const carrier = createNoCarrier()
  assert.deepEqual([carrier.name, carrier.isAbsent, carrier.isUp!()], ['none', true, false])
  assert.equal(carrier.networkOf('+14155550101'), null)
  const answers = await carrier.submit([submission(), submission()])
  assert.deepEqual(answers, [{ kind: 'down' }, { kind: 'down' }])
  await carrier.start({} as CarrierListener)
  await carrier.stop()
})
