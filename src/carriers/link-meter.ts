// Recent activity of each link, counted in this process: responses, receipts, and inbound messages of the last
// minutes, and the last errors as the carrier worded them. Counters are stored by link name, so a reload does not
// reset them.

import { type Clock, elapsedMs, MINUTE_MS } from '../kit/clock.js'
import type { Counter, Histogram, Metrics } from '../kit/metrics.js'
import type {
  Carrier,
  CarrierListener,
  LinkStatus,
  Receipt,
  SubmitAnswer,
} from '../messages/carrier-port.js'

const MINUTES = 15
const ERRORS_MAX = 10
const CODE_LENGTH_MAX = 100

/** Answers for messages that never left do not come from the carrier. */
export type CarrierAnswer = Exclude<SubmitAnswer, { kind: 'window_missed' }>

/** Counts of the last minutes. */
export interface LinkCounts {
  minutes: number
  answers: Record<CarrierAnswer['kind'], number>
  receipts: Record<Receipt['status'], number>
  inbound: number
}

/** An error, grouped by kind, code, and text. */
export interface LinkError {
  of: 'answer' | 'receipt'
  /** Our code. Null if the outcome is unknown. */
  errorCode: number | null
  /** The carrier's own text, or what is known about an unknown outcome. */
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
  /** Newest last. */
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

  /** Newest first. */
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

  #failed(of: LinkError['of'], errorCode: number | null, description: string | null): void {
    const carrierCode = description?.slice(0, CODE_LENGTH_MAX) ?? null
    const key = JSON.stringify([of, errorCode, carrierCode])
    const count = (this.#errors.get(key)?.count ?? 0) + 1
    this.#errors.delete(key)
    this.#errors.set(key, { of, errorCode, carrierCode, count, lastAt: this.#clock.now() })
    if (this.#errors.size > ERRORS_MAX) this.#errors.delete(this.#errors.keys().next().value!)
  }
}

// Real time, because the sandbox may move the service's clock by days.
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

/** Wraps every carrier link with the same counters, for Prometheus and for the operator's list. */
export class LinkMeters {
  readonly #metrics: Metrics
  readonly #clock: Clock
  readonly #answers: Counter
  readonly #receipts: Counter
  readonly #inbound: Counter
  readonly #meters = new Map<string, LinkMeter>()

  constructor({ metrics, clock }: { metrics: Metrics; clock: Clock }) {
    this.#metrics = metrics
    this.#clock = clock
    this.#answers = metrics.counter(
      'longcode_carrier_answers_total',
      'Answers of the carrier to submitted messages, by link, kind and error code',
      ['link', 'answer', 'code'],
    )
    this.#receipts = metrics.counter(
      'longcode_carrier_receipts_total',
      'Receipts of the carrier, by link, status and error code',
      ['link', 'status', 'code'],
    )
    this.#inbound = metrics.counter(
      'longcode_carrier_inbound_total',
      'Messages, or parts of them, that came in from the carrier, by link',
      ['link'],
    )
  }

  /** The counters of the link with that name. A reload keeps them. */
  of(link: string): LinkMeter {
    const meter = this.#meters.get(link) ?? new LinkMeter(this.#clock)
    this.#meters.set(link, meter)
    return meter
  }

  /** For a single link. A refusal from several links behind one port would name no link. */
  meter(link: Carrier, name = link.name): Carrier {
    const meter = this.of(name)
    const duration = this.#durationOf(name)
    return {
      ...link,
      isUp: () => link.isUp?.() ?? true,
      links: link.links ?? simpleStatus(link, this.#clock),
      submit: async (submissions) => {
        const startedMs = elapsedMs()
        const all = await link.submit(submissions)
        duration.observe(elapsedMs(startedMs) / 1000)
        const answers = all.filter((answer) => answer.kind !== 'window_missed')
        for (const answer of answers) this.#answers.add(1, name, answer.kind, codeOf(answer))
        meter.answered(answers)
        return all
      },
      start: (listener) => link.start(this.#meterListener(listener, name, meter)),
    }
  }

  #durationOf(link: string): Histogram {
    return this.#metrics.histogram(
      'longcode_carrier_submit_duration_seconds',
      'How long the carrier took to answer for a batch, by link',
      { link },
    )
  }

  #meterListener(listener: CarrierListener, link: string, meter: LinkMeter): CarrierListener {
    return {
      ...listener,
      receipt: (receipt) => {
        this.#receipts.add(1, link, receipt.status, String(receipt.errorCode ?? ''))
        meter.received(receipt)
        return listener.receipt(receipt)
      },
      // It was first counted as unknown. Now it counts as its actual outcome.
      lateAnswer: (late) => {
        this.#answers.add(1, link, `late_${late.answer.kind}`, codeOf(late.answer))
        return listener.lateAnswer(late)
      },
      inbound: (message) => {
        this.#inbound.add(1, link)
        meter.cameIn()
        return listener.inbound(message)
      },
    }
  }
}

/** For a link that reports only whether it is up. */
function simpleStatus(link: Carrier, clock: Clock): () => LinkStatus[] {
  let last = { isUp: link.isUp?.() ?? true, since: clock.now() }
  const rest = { detail: null, connections: [], window: null, rate: null }
  return () => {
    if (link.isAbsent) return []
    const isUp = link.isUp?.() ?? true
    if (isUp !== last.isUp) last = { isUp, since: clock.now() }
    return [{ link: link.name, kind: link.name, ...last, ...rest }]
  }
}

function codeOf(answer: SubmitAnswer): string {
  return answer.kind === 'failed' ? String(answer.errorCode) : ''
}
