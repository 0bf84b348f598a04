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
  /** Sends the same form to another URL, signed. */
  follow: (url: string, method: 'GET' | 'POST') => Promise<HttpAnswer>
}

/** What a request needs besides the message. */
export interface OtherDetails {
  /** By the ID of the file. */
  mediaTypes: ReadonlyMap<string, string>
  /** Something is still on its way: the request is better made a little later. */
  isEarly: boolean
}

export interface OtherFormat {
  /** By message: those that need any. */
  findDetails: (
    accountId: string,
    messageIds: readonly string[],
  ) => Promise<ReadonlyMap<string, OtherDetails>>
  /** Empty if there is nothing to send. */
  write: (
    event: Event,
    message: WireMessage | undefined,
    webhook: Pick<Webhook, 'campaignId' | 'url'>,
    details?: OtherDetails,
  ) => { url: string; body: string }
  /** The URL of a repeated request, if its webhook has none. Empty if there is none anymore. */
  findUrl: (accountId: string, messageId: string | null) => Promise<string>
  /** Null if the account can no longer sign. With GET, the URL has the form and the body is empty. */
  sign: (accountId: string, url: string, body: string) => Promise<string | null>
  /** Acts on a successful answer. Returns what to record as a problem, or null. */
  act: (exchange: OtherExchange) => Promise<string | null>
}
