// The client: one property per resource of the API.

import { Account, Tokens } from './account.js'
import { Brands } from './brands.js'
import { Campaigns } from './campaigns.js'
import { Events } from './events.js'
import { Contacts, Conversations, SavedReplies } from './inbox.js'
import { Media, Messages } from './messages.js'
import { Numbers } from './numbers.js'
import { Optouts } from './optouts.js'
import { Alerts, Exports } from './reports.js'
import { Sandbox } from './sandbox.js'
import {
  type Input,
  type LongcodeOptions,
  type RequestOptions,
  type Route,
  Transport,
} from './transport.js'
import type { Routes } from './types.js'
import { Webhooks } from './webhooks.js'

export class Longcode {
  readonly account: Account
  readonly tokens: Tokens
  readonly brands: Brands
  readonly campaigns: Campaigns
  readonly numbers: Numbers
  readonly optouts: Optouts
  readonly messages: Messages
  readonly conversations: Conversations
  readonly contacts: Contacts
  readonly savedReplies: SavedReplies
  readonly media: Media
  readonly exports: Exports
  readonly alerts: Alerts
  readonly webhooks: Webhooks
  readonly events: Events
  readonly sandbox: Sandbox
  readonly #http: Transport

  constructor(options: LongcodeOptions) {
    const http = new Transport(options)
    this.#http = http
    this.account = new Account(http)
    this.tokens = new Tokens(http)
    this.brands = new Brands(http)
    this.campaigns = new Campaigns(http)
    this.numbers = new Numbers(http)
    this.optouts = new Optouts(http)
    this.messages = new Messages(http)
    this.conversations = new Conversations(http)
    this.contacts = new Contacts(http)
    this.savedReplies = new SavedReplies(http)
    this.media = new Media(http)
    this.exports = new Exports(http)
    this.alerts = new Alerts(http)
    this.webhooks = new Webhooks(http)
    this.events = new Events(http)
    this.sandbox = new Sandbox(http)
  }

  /** Any route by its name, with the same types and retries: `request('GET /v1/brand/{id}', { path: { id } })`. */
  request<R extends Route>(
    route: R,
    input: Input<R>,
    options?: RequestOptions,
  ): Promise<Routes[R]['reply']> {
    return this.#http.request(route, input, options)
  }
}
