// How long events take to their first delivery attempt, for the service level "time to webhook". Waits that the
// receiver caused do not count: events behind a failing endpoint, and those held while the webhook was disabled.

import { Cache } from '../../kit/cache.js'
import { timeOfId } from '../../kit/ids.js'
import type { Histogram, Metrics } from '../../kit/metrics.js'
import type { AttemptResult } from './attempt-delivery.js'
import type { LeasedDelivery } from './claim-account.js'

/** A forgotten failure only counts events that waited for it. */
const FAILURES_MAX = 10_000

export class WebhookTiming {
  readonly #untilFirst: Histogram
  /** By webhook: the last attempt while it failed. Events from before it may have waited for the endpoint. */
  readonly #failedAtMs = new Cache<string, number>({ max: FAILURES_MAX })

  constructor(metrics: Metrics) {
    this.#untilFirst = metrics.histogram(
      'longcode_time_to_webhook_seconds',
      'From an event to the start of its first delivery attempt, at endpoints that work',
    )
  }

  attempted({ webhook, eventId, attempts }: LeasedDelivery, result: AttemptResult): void {
    const atMs = result.at.getTime()
    const eventMs = timeOfId(eventId).getTime()
    const heldUntilMs = Math.max(
      this.#failedAtMs.peek(webhook.id) ?? 0,
      webhook.updatedAt.getTime(),
    )
    const isMeasured = attempts === 0 && webhook.failingSince === null && eventMs >= heldUntilMs
    if (isMeasured) this.#untilFirst.observe(Math.max(0, atMs - eventMs) / 1000)
    if (webhook.failingSince || result.kind !== 'success') this.#failedAtMs.set(webhook.id, atMs)
  }
}
