// What our SMSC does with a submit: magic recipients first, then the configured faults, chosen by the seeded random
// generator.

import { magicOf } from '../carriers/simulator.js'
import type { MessageState } from '../smpp/message-state.js'
import { STATUS } from '../smpp/pdu/status.js'
import { happens, type Random } from './random.js'
import type { Faults, ReceiptMood } from './smsc-options.js'

export type Fate =
  | { kind: 'refused'; status: number }
  /** `isLost`: no response. `end`: the outcome in the receipt, or null for no receipt. */
  | { kind: 'taken'; isLost: boolean; end: End | null }

export interface End {
  state: MessageState
  /** The error in receipts. Zero: no error. */
  error: number
}

const { ESME_RTHROTTLED, ESME_RMSGQFUL, ESME_RINVDSTADR } = STATUS

export const DELIVERED: End = { state: 'DELIVERED', error: 0 }
const FAILURES: readonly End[] = [
  { state: 'UNDELIVERABLE', error: 27 },
  { state: 'EXPIRED', error: 31 },
  { state: 'REJECTED', error: 13 },
]
const MIX_FAILED_PERCENT = 25
const INVALID_RECIPIENT = 1350
/** The first status that the specification reserves for vendors. */
const VENDOR_STATUS = 0x400
const VENDOR_CODE = 1300
const ATTEMPTS_MAX = 1_000
const WINDOW_MS = 1_000

export class SubmitValidator {
  readonly #random: Random
  readonly #mood: ReceiptMood
  /** For magic recipients that count their submits. */
  readonly #attempts = new Map<string, number>()
  #second = Number.NEGATIVE_INFINITY
  #inSecond = 0

  constructor(random: Random, mood: ReceiptMood) {
    this.#random = random
    this.#mood = mood
  }

  judge(to: string, text: string | null, faults: Faults, nowMs: number): Fate {
    const magic = magicOf(to)?.(this.#attempt(to, text))
    if (magic?.answer.kind === 'failed') {
      return { kind: 'refused', status: statusOfError(magic.answer.errorCode) }
    }
    if (faults.refuse !== null) return { kind: 'refused', status: faults.refuse }
    const isMagicallySlow = magic?.answer.kind === 'slow_down'
    if (isMagicallySlow || this.#isTooFast(faults.rate, nowMs) || this.#hits(faults.throttle)) {
      return { kind: 'refused', status: ESME_RTHROTTLED.code }
    }
    if (this.#hits(faults.queueFull)) return { kind: 'refused', status: ESME_RMSGQFUL.code }
    const isSilent = magic !== undefined && magic.receipts.length === 0
    return { kind: 'taken', isLost: this.#hits(faults.lose), end: isSilent ? null : this.#end() }
  }

  #hits(percent: number): boolean {
    return happens(this.#random, percent)
  }

  /** Attempts of a magic recipient are distinguished by their text. */
  #attempt(to: string, text: string | null): number {
    const key = `${to} ${text}`
    const attempt = (this.#attempts.get(key) ?? 0) + 1
    if (this.#attempts.size >= ATTEMPTS_MAX) this.#attempts.clear()
    this.#attempts.set(key, attempt)
    return attempt
  }

  #isTooFast(rate: number | null, nowMs: number): boolean {
    if (rate === null) return false
    if (nowMs - this.#second >= WINDOW_MS) {
      this.#second = nowMs
      this.#inSecond = 0
    }
    this.#inSecond += 1
    return this.#inSecond > rate
  }

  #end(): End | null {
    switch (this.#mood) {
      case 'none':
        return null
      case 'delivered':
        return DELIVERED
      case 'failed':
        return FAILURES[0]!
      case 'mix':
        return this.#hits(MIX_FAILED_PERCENT)
          ? FAILURES[Math.floor(this.#random() * FAILURES.length)]!
          : DELIVERED
    }
  }
}

/** Errors without a status in the specification get a vendor status: 1360 becomes 0x43c. */
export function statusOfError(errorCode: number): number {
  return errorCode === INVALID_RECIPIENT
    ? ESME_RINVDSTADR.code
    : VENDOR_STATUS + (errorCode - VENDOR_CODE)
}
