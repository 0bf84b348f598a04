// What a link has done lately, counted in this process: answers, receipts and inbound of the last minutes, and
// its last errors in the carrier's own words. Kept by the link's name, so that a reload does not forget it.

import { type Clock, elapsedMs } from '../kit/clock.js'
import type { Receipt, SubmitAnswer } from '../messages/carrier-port.js'

const MINUTE_MS = 60_000
const MINUTES = 15
const ERRORS_MAX = 10
const CODE_LENGTH_MAX = 100

/** What never left was answered by nobody. */
export type CarrierAnswer = Exclude<SubmitAnswer, { kind: 'missedWindow' }>

/** Of the last minutes. */
export interface LinkCounts {
  minutes: number
  answers: Record<CarrierAnswer['kind'], number>
  receipts: Record<Receipt['status'], number>
  inbound: number
}

/** What went wrong, once for all of the same kind, code and words. */
export interface LinkError {
  of: 'answer' | 'receipt'
  /** Ours; null where the outcome is not known. */
  errorCode: number | null
  /** The carrier's own word, or what is known of an outcome that is not. */
  carrierCode: string | null
  /** Since the process started. */
  count: number
  lastAt: Date
}

interface Minute {
  start: number
  counts: Omit<LinkCounts, 'minutes'>
}

export class LinkMeter {
  readonly #clock: Clock
  readonly #minutes: Minute[] = []
  /** The latest last. */
  readonly #errors = new Map<string, LinkError>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  answered(answers: readonly CarrierAnswer[]): void {
    const { answers: counts } = this.#current()
    for (const answer of answers) {
      counts[answer.kind] += 1
      if (answer.kind === 'failed') {
        this.#failed('answer', answer.errorCode, answer.carrierCode ?? null)
      } else if (answer.kind === 'unknown') {
        this.#failed('answer', null, answer.detail)
      }
    }
  }

  received({ status, errorCode, carrierCode }: Receipt): void {
    this.#current().receipts[status] += 1
    if (status === 'FAILED') this.#failed('receipt', errorCode, carrierCode ?? null)
  }

  cameIn(): void {
    this.#current().inbound += 1
  }

  counts(): LinkCounts {
    const sum = { minutes: MINUTES, ...noCounts() }
    const from = minuteNow() - MINUTES
    for (const { start, counts } of this.#minutes) {
      if (start <= from) continue
      add(sum.answers, counts.answers)
      add(sum.receipts, counts.receipts)
      sum.inbound += counts.inbound
    }
    return sum
  }

  /** The latest first. */
  errors(): LinkError[] {
    return [...this.#errors.values()].reverse()
  }

  #current(): Minute['counts'] {
    const start = minuteNow()
    const last = this.#minutes.at(-1)
    if (last?.start === start) return last.counts
    const counts = noCounts()
    this.#minutes.push({ start, counts })
    if (this.#minutes.length > MINUTES) this.#minutes.shift()
    return counts
  }

  #failed(of: LinkError['of'], errorCode: number | null, words: string | null): void {
    const carrierCode = words?.slice(0, CODE_LENGTH_MAX) ?? null
    const key = JSON.stringify([of, errorCode, carrierCode])
    const count = (this.#errors.get(key)?.count ?? 0) + 1
    this.#errors.delete(key)
    this.#errors.set(key, { of, errorCode, carrierCode, count, lastAt: this.#clock.now() })
    if (this.#errors.size > ERRORS_MAX) this.#errors.delete(this.#errors.keys().next().value!)
  }
}

// Of the process, not of the service: the sandbox may move its clock by days.
function minuteNow(): number {
  return Math.floor(elapsedMs() / MINUTE_MS)
}

function noCounts(): Minute['counts'] {
  return {
    answers: { sent: 0, slow_down: 0, failed: 0, down: 0, unknown: 0 },
    receipts: { SENT: 0, DELIVERED: 0, READ: 0, FAILED: 0 },
    inbound: 0,
  }
}

function add<Name extends string>(sum: Record<Name, number>, more: Record<Name, number>): void {
  for (const name of Object.keys(sum) as Name[]) sum[name] += more[name]
}
