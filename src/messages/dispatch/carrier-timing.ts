// How long messages take to reach the carrier, for the service level "time to carrier". Messages that count toward a
// campaign's limit may wait by design, so they are measured separately.

import type { Histogram, Metrics } from '../../kit/metrics.js'
import type { SubmitAnswer } from '../carrier-port.js'
import type { Leased } from './leased.js'

const NAME = 'longcode_time_to_carrier_seconds'
const HELP =
  'From when a message could be sent to the answer of the carrier to its first attempt, by whether a limit applies'

export class CarrierTiming {
  readonly #limited: Histogram
  readonly #open: Histogram

  constructor(metrics: Metrics) {
    this.#limited = metrics.histogram(NAME, HELP, { limited: 'true' })
    this.#open = metrics.histogram(NAME, HELP, { limited: 'false' })
  }

  /** A later attempt was postponed on purpose, and an unknown outcome has no answer. */
  answered({ message, isLimited }: Leased, { kind }: SubmitAnswer, now: Date): void {
    if (message.attempts > 0 || (kind !== 'sent' && kind !== 'failed')) return
    const histogram = isLimited ? this.#limited : this.#open
    histogram.observe(Math.max(0, now.getTime() - message.dueAt.getTime()) / 1000)
  }
}
