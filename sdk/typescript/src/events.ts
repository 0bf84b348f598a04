// The live stream of the account's events. It reconnects where it was, so a short outage loses nothing.

import { LongcodeError } from './error.js'
import { retryDelayMs } from './retry.js'
import type { RequestOptions, Transport } from './transport.js'
import type { StreamEventsQuery, WebhookEvent } from './types.js'

/** The service sends something every 15 seconds. */
const SILENCE_MS = 45_000
const RECONNECT_MS = 1_000

type WithoutWebhook<Event> = Event extends unknown ? Omit<Event, 'webhookId' | 'signature'> : never

/** What only the stream has. `id` is missing for what is not stored. */
export interface StreamedChange {
  eventType: 'balance.changed' | 'webhook.changed'
  id?: string
  createdAt: string
  campaignId: string | null
  data: Record<string, unknown>
}

/** After a reconnect. If `isComplete` is false, events may be missing: load your data again. */
export interface StreamResumed {
  eventType: 'resumed'
  lastEventId: string
  caughtUp: number
  isComplete: boolean
}

export type StreamEvent = WithoutWebhook<WebhookEvent> | StreamedChange | StreamResumed

export class Events {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /**
   * Events as they happen, until the loop ends or `signal` aborts. A lost connection is opened again, however often. An
   * event may come twice: drop duplicates by `id`. For events that you cannot miss, use a webhook.
   */
  async *stream(
    { lastEventId }: StreamEventsQuery = {},
    options: Pick<RequestOptions, 'signal' | 'timeoutMs'> = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    let last = lastEventId
    for (let attempt = 0; ; attempt += 1) {
      try {
        for await (const { id, event, data } of this.#http.events(last, SILENCE_MS, options)) {
          attempt = 0
          last = id ?? last
          if (event === 'resumed')
            yield { eventType: 'resumed', ...(data as object) } as StreamResumed
          else if (event !== 'heartbeat') yield data as StreamEvent
        }
        await this.#http.pause(RECONNECT_MS, options.signal)
      } catch (error) {
        const delayMs = error instanceof LongcodeError ? retryDelayMs(error, attempt) : null
        if (delayMs === null) throw error
        await this.#http.pause(delayMs, options.signal)
      }
    }
  }
}
