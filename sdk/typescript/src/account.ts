// The account of the token: balance, ledger, prices, statements, and its access tokens.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  CreateTokenBody,
  CreateTokenReply,
  CreateTwilioCredentialReply,
  DeleteTokenQuery,
  DeleteTokenReply,
  DeleteTwilioCredentialReply,
  GetAccountReply,
  GetPricesReply,
  GetStatementReply,
  GetTwilioCredentialReply,
  GetUsageQuery,
  GetUsageReply,
  LedgerEntry,
  ListBalancesQuery,
  ListBalancesReply,
  ListLedgerQuery,
  ListLedgerReply,
  ListTokensQuery,
  ListTokensReply,
  Token,
  UpdateAccountBody,
  UpdateAccountReply,
} from './types.js'

export class Account {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  get(options?: RequestOptions): Promise<GetAccountReply> {
    return this.#http.request('GET /v1/account', {}, options)
  }

  update(body: UpdateAccountBody, options?: RequestOptions): Promise<UpdateAccountReply> {
    return this.#http.request('PATCH /v1/account', { body }, options)
  }

  /** Every charge, refund, and credit, newest first. */
  ledger(
    query: ListLedgerQuery = {},
    options?: RequestOptions,
  ): List<LedgerEntry, ListLedgerReply> {
    const fetch = (page: ListLedgerQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/account/ledger', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.entries, byId)
  }

  prices(options?: RequestOptions): Promise<GetPricesReply> {
    return this.#http.request('GET /v1/account/prices', {}, options)
  }

  usage(query: GetUsageQuery = {}, options?: RequestOptions): Promise<GetUsageReply> {
    return this.#http.request('GET /v1/account/usage', { query }, options)
  }

  /** The balance at the end of each day. */
  balances(query: ListBalancesQuery = {}, options?: RequestOptions): Promise<ListBalancesReply> {
    return this.#http.request('GET /v1/account/balances', { query }, options)
  }

  /** The month is written as 2026-11. */
  statement(month: string, options?: RequestOptions): Promise<GetStatementReply> {
    return this.#http.request('GET /v1/account/statement/{month}', { path: { month } }, options)
  }

  /** For apps written for Twilio. null if there is none. */
  getTwilioCredential(options?: RequestOptions): Promise<GetTwilioCredentialReply> {
    return this.#http.request('GET /v1/account/twilio', {}, options)
  }

  /** Creates or replaces it. */
  createTwilioCredential(options?: RequestOptions): Promise<CreateTwilioCredentialReply> {
    return this.#http.request('POST /v1/account/twilio', {}, options)
  }

  deleteTwilioCredential(options?: RequestOptions): Promise<DeleteTwilioCredentialReply> {
    return this.#http.request('DELETE /v1/account/twilio', {}, options)
  }
}

export class Tokens {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  create(body: CreateTokenBody = {}, options?: RequestOptions): Promise<CreateTokenReply> {
    return this.#http.request('POST /v1/token/create', { body }, options)
  }

  list(query: ListTokensQuery = {}, options?: RequestOptions): List<Token, ListTokensReply> {
    const fetch = (page: ListTokensQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/token/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.tokens, byId)
  }

  delete(
    id: string,
    query: DeleteTokenQuery = {},
    options?: RequestOptions,
  ): Promise<DeleteTokenReply> {
    return this.#http.request('DELETE /v1/token/{id}', { path: { id }, query }, options)
  }
}
