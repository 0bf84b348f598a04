// Guessing passwords is slow: each refusal waits, and an address or system ID with too many is refused without a check.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setMachineClock } from '../../test/machine-clock.js'
import type { World } from '../kit/world.js'
import type { BindPdu } from '../smpp/session/session-event.js'
import { BindGuard } from './admit-binds.js'

function guarding(t: TestContext) {
  let nowMs = 1_000
  setMachineClock(t, () => nowMs)
  const state = { asked: 0, isDown: false, logged: [] as string[], pauses: [] as number[] }
  const query = async () => {
    state.asked += 1
    if (state.isDown) throw new Error('the database is down')
    return []
  }
  const error = (_: object, text: string) => void state.logged.push(text)
  const world = { db: { query }, clock: { now: () => new Date() }, log: { error } }
  const guard = new BindGuard(world as unknown as World, async (ms) => void state.pauses.push(ms))
  const bind = (systemId: string, address: string) => {
    const body = { systemId, password: 'guess' } as BindPdu['body']
    return guard.admit({ command: 'bind_transceiver', body } as BindPdu, address)
  }
  /** How many are checked. */
  const checked = async (
    count: number,
    systemOf: (i: number) => string,
    addressOf: typeof systemOf,
  ) => {
    const { asked } = state
    const answers: unknown[] = []
    for (let i = 0; i < count; i += 1) answers.push(await bind(systemOf(i), addressOf(i)))
    const known = answers.filter((answer) => answer === 'ESME_RINVPASWD').length
    assert.deepEqual([...answers].sort(), [
      ...Array(count - known).fill('ESME_RBINDFAIL'),
      ...Array(known).fill('ESME_RINVPASWD'),
    ])
    assert.equal(state.asked - asked, known, 'the others cost no query')
    return known
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { ...{ state, bind, checked, pass } }
}

test('ten guesses from an address are checked, then one every ten seconds, and each refusal takes a second', async (t) => {
  const { checked, pass, state } = guarding(t)
  const guess = (count: number) =>
    checked(
      count,
      (i) => `s${count}${i}`,
      () => '10.0.0.1',
    )
  assert.equal(await guess(12), 10)
  assert.deepEqual(state.pauses, Array(12).fill(1_000))
  pass(9_000)
  assert.equal(await guess(1), 0)
  pass(12_000)
  assert.equal(await guess(3), 2)
})

test('five guesses for a system ID are checked, then one every half minute, whatever their addresses', async (t) => {
  const { checked, pass } = guarding(t)
  const guess = (count: number) =>
    checked(
      count,
      () => 'acme',
      () => randomUUID(),
    )
  assert.equal(await guess(7), 5)
  pass(29_000)
  assert.equal(await guess(1), 0)
  pass(35_000)
  assert.equal(await guess(3), 2)
})

test('a system ID that cannot exist is not looked up, and a failed look-up is not a wrong password', async (t) => {
  const { bind, state } = guarding(t)
  for (const systemId of ['', 'two words', 'ü', 'x'.repeat(65)]) {
    assert.equal(await bind(systemId, '10.0.0.1'), 'ESME_RINVPASWD')
  }
  assert.equal(state.asked, 0)
  state.isDown = true
  assert.equal(await bind('acme', '10.0.0.1'), 'ESME_RSYSERR')
  assert.deepEqual(state.logged, ['an SMPP bind could not be checked'])
  state.isDown = false
  assert.equal(
    await bind('x'.repeat(64), '10.0.0.1'),
    'ESME_RINVPASWD',
    'the next one has its turn',
  )
})
