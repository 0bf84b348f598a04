// The send queue of an SMPP link with binds that the test controls. Machine time moves only when the test moves it.

import type { TestContext } from 'node:test'
import type { LinkBind } from '../src/carriers/smpp/link-bind.js'
import type { LinkMetrics } from '../src/carriers/smpp/link-metrics.js'
import { MessageSender } from '../src/carriers/smpp/message-sender.js'
import type { OutgoingMessage, OutgoingPart } from '../src/carriers/smpp/outgoing-message.js'
import type { SenderLimits, SmppLinkSettings } from '../src/carriers/smpp/smpp-settings.js'
import { Clock } from '../src/kit/clock.js'
import type { LateAnswer, Submission, SubmitAnswer } from '../src/messages/carrier-port.js'
import { makePdu, type ResponsePdu } from '../src/smpp/pdu/pdu.js'
import { setMachineClock } from './machine-clock.js'
import { linkSettings } from './smpp-fixtures.js'

/** A bind with some slots. It keeps what it is given until the test answers. */
export class FakeBind {
  isReady = true
  /** It accepts nothing, although it seems to. */
  isBlocked = false
  slots: number
  reserved = 0
  continuing: OutgoingMessage[] = []
  throttledAtMs = Number.NEGATIVE_INFINITY
  readonly sent: OutgoingPart[] = []
  readonly renewed: string[] = []
  #inFlight = 0

  constructor(slots: number) {
    this.slots = slots
  }

  get freeSlots(): number {
    return Math.max(0, this.slots - this.#inFlight - this.reserved)
  }

  send(part: OutgoingPart): boolean {
    if (this.isBlocked) return false
    this.sent.push(part)
    this.#inFlight += 1
    return true
  }

  answered(): void {
    this.#inFlight -= 1
  }

  renew(detail: string): void {
    this.renewed.push(detail)
  }

  /** The messages of the parts that it got. */
  get ids(): string[] {
    return this.sent.map(({ message }) => message.submission.id)
  }
}

interface SenderOptions {
  /** The slots of each bind. */
  slots?: number[]
  settings?: Partial<SmppLinkSettings>
  limits?: Partial<SenderLimits>
}

export function startSender(t: TestContext, options: SenderOptions = {}) {
  let nowMs = 1_000_000
  setMachineClock(t, () => nowMs)
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = new Clock()
  let serviceMs = clock.nowMs()
  clock.nowMs = () => serviceMs
  const counted: string[] = []
  const count = (name: string) => (detail?: unknown) =>
    void counted.push(detail === undefined ? name : `${name} ${detail}`)
  const metrics = {
    ...{ answered: count('answered'), unknown: count('unknown') },
    ...{ lateAnswer: count('late'), throttled: count('throttled') },
  }
  const late: LateAnswer[] = []
  const binds = (options.slots ?? [10]).map((slots) => new FakeBind(slots))
  const limits = { waitMaxMs: 20_000, takeMaxMs: 42_000, pollEveryMs: 1_000, ...options.limits }
  const sender = new MessageSender(linkSettings(options.settings), binds as unknown as LinkBind[], {
    ...{ clock, limits, metrics: metrics as unknown as LinkMetrics },
    onLate: (one) => void late.push(one),
  })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  /** Hands over messages. The answers are in `results` once all of them have one. */
  const submit = async (batch: Submission[]) => {
    const results: SubmitAnswer[] = []
    void sender.submit(batch).then((answers) => results.push(...answers))
    await settle()
    return results
  }
  /** Moves machine time and the service's clock. */
  const move = async (ms: number) => {
    nowMs += ms
    serviceMs += ms
    t.mock.timers.tick(ms)
    await settle()
  }
  /** The carrier's response to a part. */
  const answer = async (bind: FakeBind, part: OutgoingPart, status = 0, messageId = 'id') => {
    bind.answered()
    const pdu = { ...makePdu('submit_sm_resp', 1, { messageId }), status } as ResponsePdu
    sender.settle(bind as unknown as LinkBind, part, { kind: 'answered', pdu })
    await settle()
  }
  const asLink = (bind: FakeBind) => bind as unknown as LinkBind
  const times = { nowMs: () => nowMs, serviceMs: () => serviceMs }
  return { sender, binds, counted, late, submit, move, answer, settle, asLink, ...times }
}
