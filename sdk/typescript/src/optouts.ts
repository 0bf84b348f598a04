// Recipients who must not get messages from a campaign.

import { List } from './list.js'
import { digits } from './numbers.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  DeleteOptoutQuery,
  DeleteOptoutReply,
  ListOptoutChangesReply,
  ListOptoutsQuery,
  ListOptoutsReply,
  Optout,
  PutOptoutBody,
  PutOptoutReply,
} from './types.js'

export class Optouts {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  list(
    campaign: string,
    query: ListOptoutsQuery = {},
    options?: RequestOptions,
  ): List<Optout, ListOptoutsReply> {
    const path = { id: campaign }
    const fetch = (page: ListOptoutsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/campaign/{id}/optouts', { path, query: page }, o)
    const itemsOf = (reply: ListOptoutsReply) => reply.optouts
    return new List(query, options, fetch, itemsOf, ({ recipient }) => recipient)
  }

  /** When a recipient opted out and in. */
  changes(
    campaign: string,
    recipient: string,
    options?: RequestOptions,
  ): Promise<ListOptoutChangesReply> {
    const path = { id: campaign, number: digits(recipient) }
    return this.#http.request('GET /v1/campaign/{id}/optouts/{number}', { path }, options)
  }

  add(
    campaign: string,
    recipient: string,
    body: PutOptoutBody,
    options?: RequestOptions,
  ): Promise<PutOptoutReply> {
    const path = { id: campaign, number: digits(recipient) }
    return this.#http.request('PUT /v1/campaign/{id}/optouts/{number}', { path, body }, options)
  }

  /** Only with the consent of the recipient. */
  remove(
    campaign: string,
    recipient: string,
    query: DeleteOptoutQuery,
    options?: RequestOptions,
  ): Promise<DeleteOptoutReply> {
    const path = { id: campaign, number: digits(recipient) }
    return this.#http.request('DELETE /v1/campaign/{id}/optouts/{number}', { path, query }, options)
  }
}
