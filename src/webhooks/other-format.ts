// The port for webhooks whose requests are not our events: a module above implements it, and the deliverer uses it.

import type { Event } from '../events/event.js'
import type { HttpAnswer } from '../kit/http-client/http-client.js'
import type { WireMessage } from './event-body.js'
import type { Webhook } from './webhook.js'

interface OtherExchange {
  accountId: string
  eventId: string
  messageId: string | null
  url: string
  body: string
  answer: HttpAnswer
  /** Posts the same body to another URL, signed. */
  post: (url: string) => Promise<HttpAnswer>
}

export interface OtherFormat {
  /** Empty if there is nothing to send. */
  write: (
    event: Event,
    message: WireMessage | undefined,
    webhook: Pick<Webhook, 'campaignId' | 'url'>,
  ) => { url: string; body: string }
  /** The URL of a repeated request, if its webhook has none. Empty if there is none anymore. */
  findUrl: (accountId: string, messageId: string | null) => Promise<string>
  /** Null if the account can no longer sign. */
  sign: (accountId: string, url: string, body: string) => Promise<string | null>
  /** Acts on a successful answer. Returns what to record as a problem, or null. */
  act: (exchange: OtherExchange) => Promise<string | null>
}
