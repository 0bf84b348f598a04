// A carrier link with counters around it: what was submitted and how long that took, what was answered
// by code, what came back. Every link is counted in the same way, for Prometheus and for the operator's list.

import { type Clock, elapsedMs } from '../kit/clock.js'
import type { Counter, Histogram, Metrics } from '../kit/metrics.js'
import type {
  Carrier,
  CarrierListener,
  LinkStatus,
  SubmitAnswer,
} from '../messages/carrier-port.js'
import { LinkMeter } from './link-meter.js'

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

  /** What the link of that name has done; one that reloads keeps its own. */
  of(link: string): LinkMeter {
    const meter = this.#meters.get(link) ?? new LinkMeter(this.#clock)
    this.#meters.set(link, meter)
    return meter
  }

  /** For one link, not for several behind one face: what is refused names no link. */
  meter(link: Carrier, name = link.name): Carrier {
    const meter = this.of(name)
    const duration = this.#durationOf(name)
    return {
      ...link,
      isUp: () => link.isUp?.() ?? true,
      links: link.links ?? simpleStatus(link, this.#clock),
      submit: async (submissions) => {
        const startedMs = elapsedMs()
        const given = await link.submit(submissions)
        duration.observe(elapsedMs(startedMs) / 1000)
        const answers = given.filter((answer) => answer.kind !== 'missedWindow')
        for (const answer of answers) this.#answers.add(1, name, answer.kind, codeOf(answer))
        meter.answered(answers)
        return given
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
      // It was answered for once, as unknown: now it counts for what it is.
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

/** Of a link that says no more than whether it is up. */
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
