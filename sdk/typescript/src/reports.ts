// Alerts about problems that the service noticed, and exports of messages as CSV files.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  ChangeAlertSettingsBody,
  ChangeAlertSettingsReply,
  CreateExportBody,
  CreateExportReply,
  DeleteExportReply,
  GetAlertSettingsReply,
  GetExportReply,
  ListAlertsQuery,
  ListAlertsReply,
  ListExportsReply,
  ListedAlert,
} from './types.js'

export class Alerts {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Open and past ones, newest first. */
  list(query: ListAlertsQuery = {}, options?: RequestOptions): List<ListedAlert, ListAlertsReply> {
    const fetch = (page: ListAlertsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/alert/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.alerts, byId)
  }

  settings(options?: RequestOptions): Promise<GetAlertSettingsReply> {
    return this.#http.request('GET /v1/alert/settings', {}, options)
  }

  /** Mutes kinds, and sets how many days the balance should last. */
  updateSettings(
    body: ChangeAlertSettingsBody,
    options?: RequestOptions,
  ): Promise<ChangeAlertSettingsReply> {
    return this.#http.request('PUT /v1/alert/settings', { body }, options)
  }
}

export class Exports {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Starts one in the background. */
  create(body: CreateExportBody = {}, options?: RequestOptions): Promise<CreateExportReply> {
    return this.#http.request('POST /v1/export/create', { body }, options)
  }

  /** All of them, newest first. */
  list(options?: RequestOptions): Promise<ListExportsReply> {
    return this.#http.request('GET /v1/export/list', {}, options)
  }

  get(id: string, options?: RequestOptions): Promise<GetExportReply> {
    return this.#http.request('GET /v1/export/{id}', { path: { id }, query: {} }, options)
  }

  /** The whole CSV file, as text. A large one takes longer than the usual `timeoutMs`. */
  async download(id: string, options?: RequestOptions): Promise<string> {
    const input = { path: { id }, query: { format: 'csv' } } as const
    return (await this.#http.request('GET /v1/export/{id}', input, options)) as unknown as string
  }

  /** Cancels it if it is running. */
  delete(id: string, options?: RequestOptions): Promise<DeleteExportReply> {
    return this.#http.request('DELETE /v1/export/{id}', { path: { id } }, options)
  }
}
