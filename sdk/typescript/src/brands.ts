// Brands: the legal entities that send.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  Brand,
  BrandFields,
  BrandReply,
  CreateBrandBody,
  GetBrandReply,
  ListBrandsQuery,
  ListBrandsReply,
} from './types.js'

export class Brands {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  create(body: CreateBrandBody, options?: RequestOptions): Promise<BrandReply> {
    return this.#http.request('POST /v1/brand/create', { body }, options)
  }

  /** Saves a brand without submitting it. */
  draft(body: BrandFields, options?: RequestOptions): Promise<BrandReply> {
    return this.#http.request('POST /v1/brand/draft', { body }, options)
  }

  get(id: string, options?: RequestOptions): Promise<GetBrandReply> {
    return this.#http.request('GET /v1/brand/{id}', { path: { id } }, options)
  }

  list(query: ListBrandsQuery = {}, options?: RequestOptions): List<Brand, ListBrandsReply> {
    const fetch = (page: ListBrandsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/brand/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.brands, byId)
  }

  update(id: string, body: BrandFields, options?: RequestOptions): Promise<BrandReply> {
    return this.#http.request('PATCH /v1/brand/{id}', { path: { id }, body }, options)
  }

  submit(id: string, options?: RequestOptions): Promise<BrandReply> {
    return this.#http.request('POST /v1/brand/{id}/submit', { path: { id } }, options)
  }
}
