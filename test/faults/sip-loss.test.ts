// Datagrams that are lost between a caller and us. We keep no state and repeat nothing: the caller repeats its request,
// and every response to the same request is identical.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { caller } from '../peers/sip/scenario.js'
import { hasSipp, NO_SIPP, runSipp } from '../peers/sip/sipp.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { startWire } from '../peers/sip/wire.js'

const LOST_ANSWERS = 2

test('a caller whose first responses are lost repeats the request and gets identical bytes', async (t) => {
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
    assert.deepEqual(new Set(answers).size, 1, 'all responses to a call are the same')
    return /^To: .*;tag=(\S+)/m.exec(answers[0]!)![1]
  })
  assert.equal(new Set(tags).size, calls, 'different calls get different tags')
})

test('every call gets its response although a fifth of the datagrams is lost in each direction', async (t) => {
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

/** Drops one in five datagrams, chosen by call and repetition, so every run drops the same ones. */
class Losses {
  lost = 0
  passed = 0
  readonly #direction: string
  readonly #seen = new Map<string, number>()

  constructor(direction: string) {
    this.#direction = direction
  }

  carry(message: string, pass: () => void): void {
    const [, call = ''] = /^Call-ID: (\d+)-/m.exec(message)!
    const times = (this.#seen.get(call) ?? 0) + 1
    this.#seen.set(call, times)
    const digest = createHash('sha256').update(`${this.#direction} ${call} ${times}`).digest()
    if (digest[0]! < 256 / 5) this.lost += 1
    else {
      this.passed += 1
      pass()
    }
  }
}
