// Records attempts in batches per account, and their effect on the webhook: five days of failures only, or a 410,
// disable it.

import type { SubscriberKey } from '../../events/queue/delivery-claim-queries.js'
import {
  type FinishedEvent,
  wakeLaterDeliveries,
} from '../../events/queue/delivery-outcome-queries.js'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../../kit/batch-writer.js'
import { DAY_MS } from '../../kit/clock.js'
import type { Counter } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import { type AttemptRecord, recordAttempts } from '../attempt-queries.js'
import { packRequest } from '../delivered-events.js'
import { disableWebhook } from '../disable-webhook.js'
import type { Webhook } from '../webhook.js'
import { recordFailing, recordWorking } from '../webhook-queries.js'
import type { AttemptResult } from './attempt-delivery.js'
import type { LeasedDelivery } from './claim-account.js'
import { retryWaitMs } from './retry-schedule.js'
import { WebhookTiming } from './webhook-timing.js'

const FAILING_MS_MAX = 5 * DAY_MS
/** When busy: a response is safe under its lease, and one statement records more of them. */
const RECORD_EVERY_MS = 10

interface Recording {
  delivery: LeasedDelivery
  record: AttemptRecord
}

interface Order {
  /** Gets the webhooks for which a later event of a message has become due. */
  onWoken: (keys: SubscriberKey[]) => void
  /** Whether this process holds the next event of the message. */
  isFollowed: (delivery: LeasedDelivery) => boolean
}

export class AttemptRecorder {
  readonly #world: World
  readonly #writer: KeyedBatchWriter<Recording, undefined>
  readonly #count: Counter
  readonly #timing: WebhookTiming

  constructor(world: World, { onWoken, isFollowed }: Order) {
    this.#world = world
    this.#count = world.metrics.counter(
      'longcode_webhook_attempts_total',
      'Webhook delivery attempts, by outcome and HTTP status',
      ['outcome', 'status'],
    )
    this.#timing = new WebhookTiming(world.metrics)
    this.#writer = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      everyMs: RECORD_EVERY_MS,
      write: async (accountId, recordings) => {
        const { db, clock, hints } = world
        const records = recordings.map(({ record }) => record)
        await recordAttempts(db, accountId, records, clock.now())
        // Queues are read ahead there: without this, a retry could be due before the next read.
        const isRetried = records.some(({ state }) => state === 'pending')
        if (isRetried && hints.areShared) hints.receive('deliveries', [accountId])
        const finished = recordings
          .filter(({ delivery }) => !isFollowed(delivery))
          .flatMap(finishedEvent)
        if (finished.length > 0) {
          const woken = await wakeLaterDeliveries(db, accountId, finished, clock.now())
          onWoken(woken.map((subscriberId) => ({ accountId, subscriberId })))
        }
        return recordings.map(() => undefined)
      },
    })
  }

  /** How many records wait to be written. */
  get depth(): number {
    return this.#writer.depth
  }

  /** Resolves when it is durable, with whether the delivery is finished. */
  async record(delivery: LeasedDelivery, result: AttemptResult): Promise<boolean> {
    const { webhook } = delivery
    this.#count.add(1, result.kind, String(result.responseStatus ?? ''))
    this.#timing.attempted(delivery, result)
    // Disabled before the record: if the process dies in between, the delivery is paused, not retried.
    const hasOwnUrl = webhook.campaignId !== ''
    if (result.kind === 'gone' && hasOwnUrl) await this.#disable(webhook, 'gone')
    const record = recordOf(delivery, result, this.#world.clock.now())
    await this.#writer.add(webhook.accountId, { delivery, record })
    const isHealthy = result.kind === 'success' && webhook.failingSince === null
    // A URL of one message proves nothing about those of others.
    if (!isHealthy && hasOwnUrl) await this.#noteHealth(webhook, result)
    return record.state !== 'pending'
  }

  // The webhook as it was when its delivery was claimed.
  async #noteHealth(webhook: Webhook, { kind }: AttemptResult): Promise<void> {
    const { db, clock } = this.#world
    const { accountId, id, failingSince } = webhook
    const now = clock.now()
    if (kind === 'success') {
      await recordWorking(db, accountId, id)
    } else if (kind === 'failure') {
      if (!failingSince) await recordFailing(db, accountId, id, now)
      else if (now.getTime() - failingSince.getTime() >= FAILING_MS_MAX) {
        await this.#disable(webhook, 'failing')
      }
    }
  }

  async #disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    await disableWebhook(this.#world, webhook.accountId, webhook.id, reason)
  }
}

/** Releases a later event of the same message, if there is one. */
function finishedEvent({ delivery, record }: Recording): FinishedEvent[] {
  const { messageId, sequence } = delivery
  if (record.state === 'pending' || messageId === null || sequence === null) return []
  return [{ subscriberId: record.webhookId, messageId, sequence }]
}

function recordOf(delivery: LeasedDelivery, result: AttemptResult, now: Date): AttemptRecord {
  const attempts = delivery.attempts - delivery.attemptsBefore + 1
  const { storedBody } = delivery
  const { requestHead } = result
  const waitMs = result.kind === 'failure' ? retryWaitMs(attempts, result.retryAfterMs) : null
  return {
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempts + 1,
    webhookId: delivery.webhook.id,
    eventId: delivery.eventId,
    messageId: delivery.messageId,
    leaseUntil: delivery.leaseUntil,
    batch: delivery.batch,
    state: result.kind === 'success' ? 'delivered' : waitMs === null ? 'failed' : 'pending',
    dueAt: waitMs === null ? null : new Date(now.getTime() + waitMs),
    requestBody: delivery.isBodyRecorded ? null : delivery.body,
    requestHead,
    request: storedBody && requestHead && packRequest(storedBody, requestHead),
    at: result.at,
    responseStatus: result.responseStatus,
    durationMs: result.durationMs,
    responseBody: result.responseBody,
    error: result.error,
  }
}
