// Datagrams that get lost between a caller and us. We keep nothing and repeat nothing: the caller asks again, and
// every answer to the same question is the same.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { caller } from '../peers/sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp } from '../peers/sip/sipp.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { startWire } from '../peers/sip/wire.js'

const LOST_ANSWERS = 2

test('a caller whose first answers are lost asks again, and hears the same to the byte', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const answersByCall = new Map<string, string[]>()
  const wire = await startWire(t, port, {
    answer: (message, pass) => {
      const [callId] = /^Call-ID: .*$/m.exec(message)!
      const answers = answersByCall.get(callId) ?? []
      answersByCall.set(callId, [...answers, message])
      if (answers.length >= LOST_ANSWERS) pass()
    },
  })
  const calls = 5
  const { repetitions } = await runSipp(t, {
    scenario: caller([{ uri, status: 302 }]),
    port: wire.port,
    calls,
  })
  assert.ok(repetitions >= calls * LOST_ANSWERS, `${repetitions} repetitions`)
  assert.equal(answersByCall.size, calls)
  const tags = [...answersByCall.values()].map((answers) => {
    assert.ok(answers.length > LOST_ANSWERS)
    assert.deepEqual(new Set(answers).size, 1, 'all answers to a call are the same')
    return /^To: .*;tag=(\S+)/m.exec(answers[0]!)![1]
  })
  assert.equal(new Set(tags).size, calls, 'and different calls are told apart')
})

test('every call passes though a fifth of what goes either way is lost', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const { port, buy } = await voiceService(t)
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const [requests, answers] = [new Losses('request'), new Losses('answer')]
  const wire = await startWire(t, port, {
    request: (message, pass) => requests.carry(message, pass),
    answer: (message, pass) => answers.carry(message, pass),
  })
  const calls = 100
  const { passed, repetitions } = await runSipp(t, {
    scenario: caller([{ uri, status: 302 }]),
    port: wire.port,
    calls,
    callsPerSecond: 100,
  })
  assert.equal(passed, calls)
  assert.ok(repetitions > calls / 4, `${repetitions} repetitions`)
  for (const { lost, passed } of [requests, answers]) assert.ok(lost > passed / 10)
})

/** Loses one in five. Which, is a matter of the call and of how often it came: every run loses the same. */
class Losses {
  lost = 0
  passed = 0
  readonly #way: string
  readonly #seen = new Map<string, number>()

  constructor(way: string) {
    this.#way = way
  }

  carry(message: string, pass: () => void): void {
    const [, call = ''] = /^Call-ID: (\d+)-/m.exec(message)!
    const times = (this.#seen.get(call) ?? 0) + 1
    this.#seen.set(call, times)
    const digest = createHash('sha256').update(`${this.#way} ${call} ${times}`).digest()
    if (digest[0]! < 256 / 5) this.lost += 1
    else {
      this.passed += 1
      pass()
    }
  }
}
