// The inbox: conversations and what a team does with them, contacts, and saved replies.

import { byId, List } from './list.js'
import { digits } from './numbers.js'
import type { RequestOptions, Transport } from './transport.js'
import type {
  AddConversationNoteBody,
  AddConversationNoteReply,
  ChangeConversationBody,
  ChangeConversationReply,
  ChangeSavedReplyBody,
  ChangeSavedReplyReply,
  Contact,
  Conversation,
  ConversationNote,
  CountInboxQuery,
  CountInboxReply,
  CreateSavedReplyBody,
  CreateSavedReplyReply,
  DeleteContactReply,
  DeleteConversationNoteReply,
  DeleteSavedReplyReply,
  GetContactReply,
  GetConversationReply,
  InboxConversation,
  ListContactsQuery,
  ListContactsReply,
  ListConversationNotesQuery,
  ListConversationNotesReply,
  ListConversationsQuery,
  ListConversationsReply,
  ListInboxQuery,
  ListInboxReply,
  ListSavedRepliesReply,
  PutContactBody,
  PutContactReply,
} from './types.js'

const ONE = '/v1/campaign/{id}/conversations/{number}'

export class Conversations {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** The last message with each recipient, newest first. */
  list(
    query: ListConversationsQuery = {},
    options?: RequestOptions,
  ): List<Conversation, ListConversationsReply> {
    const fetch = (page: ListConversationsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/conversation/list', { query: page }, o)
    const itemsOf = (reply: ListConversationsReply) => reply.conversations
    return new List(query, options, fetch, itemsOf, ({ lastMessage }) => lastMessage.id)
  }

  /** Those in which someone replied, latest reply first. */
  inbox(
    query: ListInboxQuery = {},
    options?: RequestOptions,
  ): List<InboxConversation, ListInboxReply> {
    const fetch = (page: ListInboxQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/inbox/list', { query: page }, o)
    const itemsOf = (reply: ListInboxReply) => reply.conversations
    return new List(query, options, fetch, itemsOf, ({ recipient }) => recipient)
  }

  /** How many there are in each view of the inbox. */
  counts(query: CountInboxQuery = {}, options?: RequestOptions): Promise<CountInboxReply> {
    return this.#http.request('GET /v1/inbox/counts', { query }, options)
  }

  get(
    campaign: string,
    recipient: string,
    options?: RequestOptions,
  ): Promise<GetConversationReply> {
    return this.#http.request(`GET ${ONE}`, { path: pathOf(campaign, recipient) }, options)
  }

  /** Assigns, closes, or marks it. */
  update(
    campaign: string,
    recipient: string,
    body: ChangeConversationBody,
    options?: RequestOptions,
  ): Promise<ChangeConversationReply> {
    return this.#http.request(`PATCH ${ONE}`, { path: pathOf(campaign, recipient), body }, options)
  }

  /** Internal notes, newest first. */
  notes(
    campaign: string,
    recipient: string,
    query: ListConversationNotesQuery = {},
    options?: RequestOptions,
  ): List<ConversationNote, ListConversationNotesReply> {
    const path = pathOf(campaign, recipient)
    const fetch = (page: ListConversationNotesQuery, o?: RequestOptions) =>
      this.#http.request(`GET ${ONE}/notes`, { path, query: page }, o)
    return new List(query, options, fetch, (reply) => reply.notes, byId)
  }

  /** The recipient never sees it. */
  addNote(
    campaign: string,
    recipient: string,
    body: AddConversationNoteBody,
    options?: RequestOptions,
  ): Promise<AddConversationNoteReply> {
    const path = pathOf(campaign, recipient)
    return this.#http.request(`POST ${ONE}/notes`, { path, body }, options)
  }

  deleteNote(
    campaign: string,
    recipient: string,
    noteId: string,
    options?: RequestOptions,
  ): Promise<DeleteConversationNoteReply> {
    const path = { ...pathOf(campaign, recipient), noteId }
    return this.#http.request(`DELETE ${ONE}/notes/{noteId}`, { path }, options)
  }
}

function pathOf(campaign: string, recipient: string): { id: string; number: string } {
  return { id: campaign, number: digits(recipient) }
}

export class Contacts {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** By number, or with `name` or `numbers` those that match. */
  list(query: ListContactsQuery = {}, options?: RequestOptions): List<Contact, ListContactsReply> {
    const fetch = (page: ListContactsQuery, o?: RequestOptions) =>
      this.#http.request('GET /v1/contact/list', { query: page }, o)
    const itemsOf = (reply: ListContactsReply) => reply.contacts
    return new List(query, options, fetch, itemsOf, ({ phoneNumber }) => phoneNumber)
  }

  get(number: string, options?: RequestOptions): Promise<GetContactReply> {
    const path = { number: digits(number) }
    return this.#http.request('GET /v1/contact/{number}', { path }, options)
  }

  /** Creates or replaces it. */
  put(number: string, body: PutContactBody, options?: RequestOptions): Promise<PutContactReply> {
    const path = { number: digits(number) }
    return this.#http.request('PUT /v1/contact/{number}', { path, body }, options)
  }

  delete(number: string, options?: RequestOptions): Promise<DeleteContactReply> {
    const path = { number: digits(number) }
    return this.#http.request('DELETE /v1/contact/{number}', { path }, options)
  }
}

export class SavedReplies {
  readonly #http: Transport

  constructor(http: Transport) {
    this.#http = http
  }

  /** All of them, by name. */
  list(options?: RequestOptions): Promise<ListSavedRepliesReply> {
    return this.#http.request('GET /v1/saved-reply/list', {}, options)
  }

  create(body: CreateSavedReplyBody, options?: RequestOptions): Promise<CreateSavedReplyReply> {
    return this.#http.request('POST /v1/saved-reply/create', { body }, options)
  }

  update(
    id: string,
    body: ChangeSavedReplyBody,
    options?: RequestOptions,
  ): Promise<ChangeSavedReplyReply> {
    return this.#http.request('PATCH /v1/saved-reply/{id}', { path: { id }, body }, options)
  }

  delete(id: string, options?: RequestOptions): Promise<DeleteSavedReplyReply> {
    return this.#http.request('DELETE /v1/saved-reply/{id}', { path: { id } }, options)
  }
}
