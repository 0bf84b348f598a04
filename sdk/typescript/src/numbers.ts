// Phone numbers. A number may be written with or without its plus sign.

import { List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  BuyNumberBody,
  BuyNumberReply,
  GetNumberCallsQuery,
  GetNumberCallsReply,
  GetNumberReply,
  ListCampaignNumbersReply,
  ListedNumber,
  ListNumbersQuery,
  ListNumbersReply,
  OwnedNumber,
  ReleaseNumberReply,
  SearchNumbersQuery,
  SearchNumbersReply,
  SetDefaultNumberReply,
  SetForwardingBody,
  SetForwardingReply,
} from './types.js'

/** Paths have the digits of a number. */
export function digits(number: string): string {
  return number.replace('+', '')
}

const cursorOf = ({ phoneNumber }: OwnedNumber) => phoneNumber

export class Numbers {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Numbers for sale. */
  search(query: SearchNumbersQuery = {}, options?: RequestOptions): Promise<SearchNumbersReply> {
    return this.#http.request('GET /v1/number/search', { query }, options)
  }

  buy(body: BuyNumberBody, options?: RequestOptions): Promise<BuyNumberReply> {
    return this.#http.request('POST /v1/number/buy', { body }, options)
  }

  get(number: string, options?: RequestOptions): Promise<GetNumberReply> {
    const path = { number: digits(number) }
    return this.#http.request('GET /v1/number/{number}', { path }, options)
  }

  /** The numbers of all campaigns. */
  list(
    query: ListNumbersQuery = {},
    options?: RequestOptions,
  ): List<ListedNumber, ListNumbersReply> {
    const fetch = (page: ListNumbersQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/number/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.numbers, cursorOf)
  }

  listForCampaign(
    campaign: string,
    options?: RequestOptions,
  ): List<OwnedNumber, ListCampaignNumbersReply> {
    const fetch = (_: object, o?: RequestOptions) =>
      this.#http.request('GET /v1/campaign/{id}/numbers', { path: { id: campaign } }, o)
    return new List({}, options, fetch, (reply) => reply.numbers, cursorOf)
  }

  /** Forwards calls to another number. null stops it. */
  setForwarding(
    number: string,
    body: SetForwardingBody,
    options?: RequestOptions,
  ): Promise<SetForwardingReply> {
    const path = { number: digits(number) }
    return this.#http.request('PATCH /v1/number/{number}/forwarding', { path, body }, options)
  }

  /** Makes this the number that its campaign sends from. */
  setDefault(number: string, options?: RequestOptions): Promise<SetDefaultNumberReply> {
    const path = { number: digits(number) }
    return this.#http.request('POST /v1/number/{number}/default', { path }, options)
  }

  calls(
    number: string,
    query: GetNumberCallsQuery = {},
    options?: RequestOptions,
  ): Promise<GetNumberCallsReply> {
    const path = { number: digits(number) }
    return this.#http.request('GET /v1/number/{number}/calls', { path, query }, options)
  }

  release(number: string, options?: RequestOptions): Promise<ReleaseNumberReply> {
    const path = { number: digits(number) }
    return this.#http.request('DELETE /v1/number/{number}', { path }, options)
  }
}
