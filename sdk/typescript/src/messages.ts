// Messages, conversations, and the files of an MMS.

import { byId, List } from './list.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  CancelMessageReply,
  FileBody,
  GetMessageReply,
  GetMessageStatsQuery,
  GetMessageStatsReply,
  GetTimelineReply,
  ListErrorsReply,
  ListMessagesQuery,
  ListMessagesReply,
  Message,
  PreviewBatchBody,
  PreviewBatchReply,
  PreviewMessageBody,
  PreviewMessageReply,
  SearchMessagesQuery,
  SearchMessagesReply,
  SendBatchBody,
  SendBatchReply,
  SendMessageBody,
  SendMessageReply,
  UploadMediaReply,
} from './types.js'

export class Messages {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Sends an SMS or MMS. */
  send(body: SendMessageBody, options?: RequestOptions): Promise<SendMessageReply> {
    return this.#http.request('POST /v1/message/send', { body }, options)
  }

  /** Sends up to 1,000 messages. Each has its own result. */
  sendBatch(body: SendBatchBody, options?: RequestOptions): Promise<SendBatchReply> {
    return this.#http.request('POST /v1/message/batch', { body }, options)
  }

  /** Segments and price. Nothing is sent or charged. */
  preview(body: PreviewMessageBody, options?: RequestOptions): Promise<PreviewMessageReply> {
    return this.#http.request('POST /v1/message/preview', { body }, options)
  }

  previewBatch(body: PreviewBatchBody, options?: RequestOptions): Promise<PreviewBatchReply> {
    return this.#http.request('POST /v1/message/batch/preview', { body }, options)
  }

  get(id: string, options?: RequestOptions): Promise<GetMessageReply> {
    return this.#http.request('GET /v1/message/{id}', { path: { id } }, options)
  }

  /** The messages of a campaign, newest first. */
  list(query: ListMessagesQuery, options?: RequestOptions): List<Message, ListMessagesReply> {
    const fetch = (page: ListMessagesQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/message/list', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.messages, byId)
  }

  /** Messages across campaigns, newest first. */
  search(
    query: SearchMessagesQuery = {},
    options?: RequestOptions,
  ): List<Message, SearchMessagesReply> {
    const fetch = (page: SearchMessagesQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/message/search', { query: page }, o)
    return new List(query, options, fetch, (reply) => reply.messages, byId)
  }

  /** Cancels a SCHEDULED message and refunds it. */
  cancel(id: string, options?: RequestOptions): Promise<CancelMessageReply> {
    return this.#http.request('DELETE /v1/message/{id}', { path: { id } }, options)
  }

  /** What happened to a message, step by step. */
  timeline(id: string, options?: RequestOptions): Promise<GetTimelineReply> {
    return this.#http.request('GET /v1/message/{id}/timeline', { path: { id } }, options)
  }

  stats(query: GetMessageStatsQuery = {}, options?: RequestOptions): Promise<GetMessageStatsReply> {
    return this.#http.request('GET /v1/stats/messages', { query }, options)
  }

  /** Every `errorCode` that a message can have. */
  errors(options?: RequestOptions): Promise<ListErrorsReply> {
    return this.#http.request('GET /v1/error/list', {}, options)
  }
}

export class Media {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** Uploads a file of up to 10 MB. Put `media.url` of the reply in `mediaUrls` of a message. */
  upload(
    file: FileBody,
    options?: RequestOptions & { contentType?: string | undefined },
  ): Promise<UploadMediaReply> {
    const ownType = file instanceof Blob ? file.type : ''
    const type = options?.contentType ?? (ownType || 'application/octet-stream')
    return this.#http.request('POST /v1/media', { body: file }, options, type)
  }
}
