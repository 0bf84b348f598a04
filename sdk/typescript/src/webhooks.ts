// Webhooks and their deliveries. webhook-verifier.ts verifies what they send.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  CreateWebhookBody,
  CreateWebhookReply,
  DeleteWebhookReply,
  Delivery,
  GetDeliveryReply,
  GetWebhookReply,
  ListCampaignWebhooksReply,
  ListDeliveriesQuery,
  ListDeliveriesReply,
  ListWebhooksQuery,
  ListWebhooksReply,
  PreviewRecoveryQuery,
  PreviewRecoveryReply,
  RecoverDeliveriesBody,
  RecoverDeliveriesReply,
  ReplayDeliveryReply,
  RotateWebhookSecretReply,
  TestWebhookBody,
  TestWebhookReply,
  UpdateWebhookBody,
  UpdateWebhookReply,
  Webhook,
} from './types.js'

export class Webhooks {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  create(
    campaign: string,
    body: CreateWebhookBody,
    options?: RequestOptions,
  ): Promise<CreateWebhookReply> {
    const path = { id: campaign }
    return this.#http.request('POST /v1/campaign/{id}/webhooks', { path, body }, options)
  }

  get(id: string, options?: RequestOptions): Promise<GetWebhookReply> {
    return this.#http.request('GET /v1/webhook/{id}', { path: { id } }, options)
  }

  /** The webhooks of all campaigns. */
  list(query: ListWebhooksQuery = {}, options?: RequestOptions): List<Webhook, ListWebhooksReply> {
    const fetch = (page: ListWebhooksQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/webhook/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.webhooks, byId)
  }

  listForCampaign(
    campaign: string,
    options?: RequestOptions,
  ): List<Webhook, ListCampaignWebhooksReply> {
    const fetch = (_: object, o?: RequestOptions) =>
      this.#http.request('GET /v1/campaign/{id}/webhooks', { path: { id: campaign } }, o)
    return new List({}, options, fetch, (reply) => reply.webhooks, byId)
  }

  update(
    id: string,
    body: UpdateWebhookBody,
    options?: RequestOptions,
  ): Promise<UpdateWebhookReply> {
    return this.#http.request('PATCH /v1/webhook/{id}', { path: { id }, body }, options)
  }

  delete(id: string, options?: RequestOptions): Promise<DeleteWebhookReply> {
    return this.#http.request('DELETE /v1/webhook/{id}', { path: { id } }, options)
  }

  /** For 24 hours, events are signed with both secrets. */
  rotateSecret(id: string, options?: RequestOptions): Promise<RotateWebhookSecretReply> {
    return this.#http.request('POST /v1/webhook/{id}/rotate', { path: { id } }, options)
  }

  /** Sends a test event to this webhook. */
  test(
    id: string,
    body: TestWebhookBody = {},
    options?: RequestOptions,
  ): Promise<TestWebhookReply> {
    return this.#http.request('POST /v1/webhook/{id}/test', { path: { id }, body }, options)
  }

  /** What was sent, newest first, with every attempt. */
  listDeliveries(
    id: string,
    query: ListDeliveriesQuery = {},
    options?: RequestOptions,
  ): List<Delivery, ListDeliveriesReply> {
    const path = { id }
    const fetch = (page: ListDeliveriesQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/webhook/{id}/deliveries', { path, query: page }, o)
    return new List(query, options, fetch, (reply) => reply.deliveries, byId)
  }

  getDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<GetDeliveryReply> {
    const path = { id, deliveryId }
    return this.#http.request('GET /v1/webhook/{id}/deliveries/{deliveryId}', { path }, options)
  }

  replayDelivery(
    id: string,
    deliveryId: string,
    options?: RequestOptions,
  ): Promise<ReplayDeliveryReply> {
    const route = 'POST /v1/webhook/{id}/deliveries/{deliveryId}/replay'
    return this.#http.request(route, { path: { id, deliveryId } }, options)
  }

  /** What `recover` would send. */
  previewRecovery(
    id: string,
    query: PreviewRecoveryQuery = {},
    options?: RequestOptions,
  ): Promise<PreviewRecoveryReply> {
    return this.#http.request('GET /v1/webhook/{id}/recover', { path: { id }, query }, options)
  }

  /** Sends held and failed deliveries again. Repeat while `hasMore` is true. */
  recover(
    id: string,
    body: RecoverDeliveriesBody,
    options?: RequestOptions,
  ): Promise<RecoverDeliveriesReply> {
    return this.#http.request('POST /v1/webhook/{id}/recover', { path: { id }, body }, options)
  }
}
