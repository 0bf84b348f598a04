// Deliveries of our SMSC for bound clients: receipts and inbound messages. They wait until a client that can receive
// them is bound, and are repeated if they are not acknowledged, as carriers do.

import type { BodyOf } from '../smpp/pdu/pdu.js'
import { STATUS } from '../smpp/pdu/status.js'
import type { Tlv } from '../smpp/pdu/tlv.js'
import type { RequestOutcome } from '../smpp/session/session-event.js'
import { Delayed } from './delayed.js'

export interface SmscDelivery {
  fields: Partial<BodyOf<'deliver_sm'>>
  tlvs: readonly Tlv[]
  attempts: number
  /** Called once: acknowledged or abandoned. */
  onEnd: ((isAcknowledged: boolean) => void) | null
}

/** A connection that can receive deliveries. */
export interface DeliveryReceiver {
  readonly freeSlots: number
  /** Returns false if it was not sent. */
  deliver: (delivery: SmscDelivery) => boolean
}

const WAITING_MAX = 100_000
const ATTEMPTS_MAX = 50
const TEMPORARY: readonly number[] = [
  STATUS.ESME_RX_T_APPN.code,
  STATUS.ESME_RTHROTTLED.code,
  STATUS.ESME_RMSGQFUL.code,
  STATUS.ESME_RSYSERR.code,
]

export class Outbox {
  readonly #receivers: DeliveryReceiver[] = []
  readonly #again: Delayed<SmscDelivery>
  readonly #redeliverMs: number
  #waiting: SmscDelivery[] = []
  #first = 0
  #turn = 0

  constructor(redeliverMs: number) {
    this.#redeliverMs = redeliverMs
    this.#again = new Delayed((delivery) => this.push(delivery))
  }

  get size(): number {
    return this.#waiting.length - this.#first + this.#again.size
  }

  addReceiver(receiver: DeliveryReceiver): void {
    this.#receivers.push(receiver)
    this.flush()
  }

  removeReceiver(receiver: DeliveryReceiver): void {
    const at = this.#receivers.indexOf(receiver)
    if (at !== -1) this.#receivers.splice(at, 1)
  }

  push(delivery: SmscDelivery): void {
    if (this.size >= WAITING_MAX) {
      delivery.onEnd?.(false)
      return
    }
    this.#waiting.push(delivery)
    this.flush()
  }

  /** Sends as many as there are slots. */
  flush(): void {
    while (this.#first < this.#waiting.length) {
      const receiver = this.#nextReceiver()
      if (!receiver) break
      const delivery = this.#waiting[this.#first]!
      delivery.attempts += 1
      if (!receiver.deliver(delivery)) break
      this.#first += 1
    }
    if (this.#first === this.#waiting.length || this.#first > 1_000) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
  }

  /** The outcome of a delivery that was sent. */
  end(delivery: SmscDelivery, outcome: RequestOutcome): void {
    const status = statusOf(outcome)
    if (status === STATUS.ESME_ROK.code) delivery.onEnd?.(true)
    else if (status !== null && !TEMPORARY.includes(status)) delivery.onEnd?.(false)
    else if (delivery.attempts >= ATTEMPTS_MAX) delivery.onEnd?.(false)
    else this.#again.add(delivery, this.#redeliverMs)
    this.flush()
  }

  /** Removes and returns the waiting deliveries. */
  takeAll(): SmscDelivery[] {
    const waiting = this.#waiting.slice(this.#first)
    this.#waiting = []
    this.#first = 0
    return waiting
  }

  stop(): void {
    this.#again.stop()
    for (const { onEnd } of this.takeAll()) onEnd?.(false)
  }

  #nextReceiver(): DeliveryReceiver | null {
    for (let i = 0; i < this.#receivers.length; i++) {
      this.#turn = (this.#turn + 1) % this.#receivers.length
      const receiver = this.#receivers[this.#turn]!
      if (receiver.freeSlots > 0) return receiver
    }
    return null
  }
}

/** Null if unknown. */
function statusOf(outcome: RequestOutcome): number | null {
  if (outcome.kind === 'unknown') return null
  return outcome.kind === 'nacked' ? outcome.status || null : outcome.pdu.status
}
