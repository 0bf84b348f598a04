// For any peer behavior and timing: no sequence number is in use twice, the window is never exceeded, and every request
// that was sent has exactly one outcome.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodePdu } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import { makeFailure, makePdu } from '../pdu/pdu.js'
import { SmppSession } from './session.js'

const WINDOW = 5
const TIMEOUT_MS = 100

type Step =
  | { kind: 'submit' }
  | { kind: 'answer' | 'nack' | 'break'; which: number }
  | { kind: 'twice' | 'other'; which: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'noise'; bytes: Uint8Array }
  | { kind: 'enquire' }
  | { kind: 'unbind' }
  | { kind: 'cut' }

const which = fc.nat(30)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 120, arbitrary: fc.constant<Step>({ kind: 'submit' }) },
  {
    weight: 120,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer', 'answer', 'nack', 'break', 'twice', 'other'),
      which,
    }) as fc.Arbitrary<Step>,
  },
  { weight: 40, arbitrary: fc.nat(80).map((ms): Step => ({ kind: 'wait', ms })) },
  { weight: 10, arbitrary: fc.constant<Step>({ kind: 'enquire' }) },
  { weight: 3, arbitrary: fc.uint8Array().map((bytes): Step => ({ kind: 'noise', bytes })) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'unbind' }, { kind: 'cut' }) },
)

/** Drives one session and tracks what it should do. */
class Books {
  readonly session: SmppSession<number>
  readonly left: number[] = []
  readonly outcomes = new Map<number, number>()
  readonly waiting = new Map<number, number>()
  readonly answered: number[] = []
  closings = 0
  now = 0

  constructor(lastSequence: number) {
    const settings = {
      side: 'esme',
      window: WINDOW,
      responseTimeoutMs: TIMEOUT_MS,
      enquireLinkMs: 300,
      bindTimeoutMs: 300,
      unansweredMax: 10,
    } as const
    this.session = new SmppSession(settings, 0, lastSequence)
    this.session.bind('bind_transceiver', {}, 0)
    const bind = decodePdu(this.session.takeOutput()[0]!).pdu!
    const answer = makePdu('bind_transceiver_resp', bind.sequence, {})
    this.session.receive(encodePdu(answer), 0)
    this.session.takeSessionEvents()
  }

  settleBooks(): void {
    for (const frame of this.session.takeOutput()) {
      const { pdu } = decodePdu(frame)
      assert.ok(pdu)
      if (pdu.command !== 'submit_sm') continue
      assert.ok(!this.waiting.has(pdu.sequence), 'a sequence number is in use twice')
      assert.ok(pdu.sequence >= 1 && pdu.sequence <= 0x7fffffff)
      this.waiting.set(pdu.sequence, Number(pdu.body.sourceAddr))
    }
    for (const sessionEvent of this.session.takeSessionEvents()) {
      assert.equal(this.closings, 0, 'no events after the end')
      if (sessionEvent.kind === 'closed') this.closings += 1
      if (sessionEvent.kind !== 'outcome') continue
      this.outcomes.set(sessionEvent.token, (this.outcomes.get(sessionEvent.token) ?? 0) + 1)
      for (const [sequence, token] of this.waiting) {
        if (token === sessionEvent.token) this.waiting.delete(sequence)
      }
    }
    assert.ok(this.waiting.size <= WINDOW, 'more requests in flight than the window allows')
  }

  take(step: Step): void {
    this.#do(step)
    this.settleBooks()
  }

  #do(step: Step): void {
    const { session, now } = this
    if (step.kind === 'submit') {
      const token = this.left.length
      if (session.request('submit_sm', { sourceAddr: String(token) }, [], token, now)) {
        this.left.push(token)
      }
    } else if (step.kind === 'wait') {
      this.now += step.ms
      session.tick(this.now)
    } else if (step.kind === 'enquire') {
      session.receive(encodePdu(makePdu('enquire_link', 1, {})), now)
    } else if (step.kind === 'noise') session.receive(Buffer.from(step.bytes), now)
    else if (step.kind === 'unbind') session.unbind(now)
    else if (step.kind === 'cut') session.disconnect('cut', now)
    else this.#answer(step)
  }

  #answer({ kind, which }: Step & { which: number }): void {
    const waiting = [...this.waiting.keys()]
    const sequence = waiting[which % Math.max(1, waiting.length)] ?? which
    const frame = encodePdu(
      kind === 'nack'
        ? makeFailure('generic_nack', sequence, 3)
        : kind === 'other'
          ? makePdu('deliver_sm_resp', sequence, {})
          : makePdu('submit_sm_resp', sequence, { messageId: 'x' }),
    )
    if (kind === 'break') frame[16] = 0x41
    if (kind === 'break') frame[17] = 0x41
    this.session.receive(frame, this.now)
    if (kind === 'twice') this.session.receive(frame, this.now)
  }
}

test('every submit that was sent has exactly one outcome, whatever the peer does', () => {
  const lastSequence = fc.constantFrom(0, 0x7fffffff - 4)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), lastSequence, (steps, last) => {
      const books = new Books(last)
      for (const each of steps) books.take(each)
      for (let i = 0; i < 20; i++) books.take({ kind: 'wait', ms: TIMEOUT_MS })
      books.take({ kind: 'cut' })
      assert.equal(books.closings, 1)
      assert.deepEqual([...books.outcomes.keys()].sort(byNumber), books.left)
      for (const count of books.outcomes.values()) assert.equal(count, 1)
    }),
    { numRuns: 400 },
  )
})

const byNumber = (a: number, b: number) => a - b

test('two sessions understand each other however the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (cuts) => {
      const settings = {
        window: 50,
        responseTimeoutMs: 1_000,
        enquireLinkMs: 1_000,
        bindTimeoutMs: 1_000,
        unansweredMax: 50,
      }
      const esme = new SmppSession<number>({ ...settings, side: 'esme' }, 0)
      const smsc = new SmppSession<number>({ ...settings, side: 'smsc' }, 0)
      let cut = 0
      const carry = (from: SmppSession<number>, to: SmppSession<number>) => {
        const bytes = Buffer.concat(from.takeOutput())
        for (let at = 0; at < bytes.length; ) {
          const length = cuts[cut++ % cuts.length]!
          to.receive(bytes.subarray(at, at + length), 0)
          at += length
        }
      }
      esme.bind('bind_transceiver', { systemId: 'me' }, 0)
      carry(esme, smsc)
      const [asked] = smsc.takeSessionEvents()
      assert.ok(asked?.kind === 'bind_requested')
      smsc.answerBind(asked.pdu, 0, 'smsc', 0)
      carry(smsc, esme)
      for (let i = 0; i < 20; i++) esme.request('submit_sm', {}, [], i, 0)
      carry(esme, smsc)
      for (const sessionEvent of smsc.takeSessionEvents()) {
        if (sessionEvent.kind === 'request') smsc.respond(sessionEvent.pdu, {}, 0)
      }
      carry(smsc, esme)
      const told = esme.takeSessionEvents().filter(({ kind }) => kind === 'outcome')
      assert.equal(told.length, 20)
    }),
    { numRuns: 30 },
  )
})
