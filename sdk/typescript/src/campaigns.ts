// Campaigns: the purposes of messages, reviewed before they can send.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  Campaign,
  CampaignReply,
  CheckCampaignReply,
  CreateCampaignBody,
  DraftCampaignBody,
  EndCampaignBody,
  EndCampaignReply,
  GetCampaignReply,
  GetLimitsReply,
  ListCampaignsQuery,
  ListCampaignsReply,
  PatchCampaignBody,
  PreviewCampaignEndQuery,
  PreviewCampaignEndReply,
  SubmitCampaignReply,
} from './types.js'

export class Campaigns {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Creates a campaign and charges the creation fee. */
  create(body: CreateCampaignBody, options?: RequestOptions): Promise<SubmitCampaignReply> {
    return this.#http.request('POST /v1/campaign/create', { body }, options)
  }

  /** Lists what a reviewer would reject. Costs nothing. */
  check(body: CreateCampaignBody, options?: RequestOptions): Promise<CheckCampaignReply> {
    return this.#http.request('POST /v1/campaign/check', { body }, options)
  }

  /** Saves a campaign without submitting it. */
  draft(body: DraftCampaignBody, options?: RequestOptions): Promise<CampaignReply> {
    return this.#http.request('POST /v1/campaign/draft', { body }, options)
  }

  get(id: string, options?: RequestOptions): Promise<GetCampaignReply> {
    return this.#http.request('GET /v1/campaign/{id}', { path: { id } }, options)
  }

  list(
    query: ListCampaignsQuery = {},
    options?: RequestOptions,
  ): List<Campaign, ListCampaignsReply> {
    const fetch = (page: ListCampaignsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/campaign/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.campaigns, byId)
  }

  update(id: string, body: PatchCampaignBody, options?: RequestOptions): Promise<CampaignReply> {
    return this.#http.request('PATCH /v1/campaign/{id}', { path: { id }, body }, options)
  }

  submit(id: string, options?: RequestOptions): Promise<SubmitCampaignReply> {
    return this.#http.request('POST /v1/campaign/{id}/submit', { path: { id } }, options)
  }

  /** How much of each carrier limit is used. */
  limits(id: string, options?: RequestOptions): Promise<GetLimitsReply> {
    return this.#http.request('GET /v1/campaign/{id}/limits', { path: { id } }, options)
  }

  previewEnd(
    id: string,
    query: PreviewCampaignEndQuery = {},
    options?: RequestOptions,
  ): Promise<PreviewCampaignEndReply> {
    return this.#http.request('GET /v1/campaign/{id}/end', { path: { id }, query }, options)
  }

  /** Ends a campaign for good. */
  end(id: string, body: EndCampaignBody, options?: RequestOptions): Promise<EndCampaignReply> {
    return this.#http.request('POST /v1/campaign/{id}/end', { path: { id }, body }, options)
  }
}
