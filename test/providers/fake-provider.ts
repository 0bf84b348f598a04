// A fake provider with an HTTP API: it accepts messages like Telnyx, Bandwidth, or Twilio, sends callbacks with their
// outcomes, and delivers inbound messages. The test decides what goes wrong.

import assert from 'node:assert/strict'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallbackReply, CallbackRequest } from '../../src/messages/carrier-http.js'
import { type DocumentName, faultsOf } from './check-request.js'
import { FakeNumbers, type NumberReply, type NumberRequest } from './fake-numbers.js'
import { FakeRegistry } from './fake-registry.js'
import { FakeAccount, type SetupAnswer } from './fake-setup.js'

export interface Taken {
  id: string
  from: string
  to: string
  text: string
  /** The URL for status callbacks, and our message id. */
  statusUrl: string | null
  tag: string | null
  fields: Record<string, unknown>
  at: Date
  /** The same on the monotonic clock. */
  atMs: number
}

export interface Call {
  url: string
  headers: Record<string, string>
  body: string
}

/** What differs between providers. */
export interface Face {
  /** The published document that requests are checked against. Null if there is none. */
  document: DocumentName | null
  read: (request: IncomingMessage, body: string) => Omit<Taken, 'id' | 'at' | 'atMs'>
  /** The response to an accepted message. */
  taken: (taken: Taken) => { status: number; body: unknown }
  refused: (code: string) => { status: number; body: unknown }
  /** The response to a number lookup. */
  lookedUp: (number: string) => unknown
  /** The response to a query for sent messages. */
  list: (taken: readonly Taken[], query: URLSearchParams) => unknown
  receipt: (taken: Taken, base: string, outcome: Outcome) => Call
  inbound: (message: Written, base: string) => Call
  /** The callback about a registration. Absent if the provider registers nothing. */
  registrationCallback?: (url: string, what: 'brand' | 'campaign', id: string) => Call
  /** Returns null for requests that are not about numbers. */
  numbers?: (numbers: FakeNumbers, asked: NumberRequest) => NumberReply
  setup?: SetupAnswer
  /** The response to an unknown API key. */
  unauthorized?: () => { status: number; body: unknown }
}

export interface Outcome {
  status: 'sent' | 'delivered' | 'failed' | 'unconfirmed'
  code?: string
}

export interface Written {
  id: string
  from: string
  to: string
  text: string
  mediaUrls?: readonly string[]
  /** The keyword that the provider already handled. */
  handled?: string
}

/** A different response to one request. */
export interface Instead {
  status: number
  body?: string
  headers?: Record<string, string>
  /** The message is still sent. */
  takes?: boolean
  /** The usual response, only later. */
  isUsual?: boolean
  delayMs?: number
  /** Whether the connection is cut before the response or within it. */
  cut?: 'before' | 'within'
}

/** The lookup requests of all providers. */
const NUMBER_LOOKUP = /(?:number_lookup\/|\/v2\/PhoneNumbers\/|phoneNumberLookup .*)((?:\+|%2B)\d+)/

type Callback = (path: string, request: CallbackRequest) => Promise<CallbackReply | null>

export class FakeProvider {
  readonly taken: Taken[] = []
  readonly requests: { method: string; path: string }[] = []
  readonly numbers = new FakeNumbers()
  readonly account = new FakeAccount()
  readonly registry = new FakeRegistry()
  /** By recipient: messages are refused with this code. */
  readonly refuses = new Map<string, string>()
  /** By recipient: the outcome of accepted messages, if not delivered. */
  readonly outcomes = new Map<string, Outcome>()
  /** Numbers that were looked up. */
  readonly lookUps: string[] = []
  /** The delay of each response to a message. */
  latencyMs = 0
  /** The status of responses to queries. */
  queryStatus = 200
  /** Accepts messages and never responds. */
  isSilent = false
  /** Responses for the next messages, one each, in place of the usual one. */
  readonly instead: Instead[] = []
  /** Differences between requests and the published document. */
  readonly faults: string[] = []
  /** Media files of inbound messages, by path. */
  readonly files = new Map<string, RequestListener>()
  readonly base: string
  readonly #face: Face
  readonly #callback: () => Callback
  readonly #sockets = new Set<Socket>()
  #server: Server | null = null
  #port = 0
  #count = 0

  /** Callback URLs start with `base`. */
  constructor(face: Face, base: string, callback: () => Callback) {
    this.#face = face
    this.base = base
    this.#callback = callback
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response))
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Also checks that every request matched the published document. Closes the server first, so a failure does not hang. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server) {
      const closed = new Promise((resolve) => server.close(resolve))
      this.cut()
      await closed
    }
    assert.deepEqual(this.faults, [])
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Sends the status callback of a message. Returns the status of the response. */
  async report(taken: Taken, outcome: Outcome): Promise<number> {
    return this.deliver(this.receiptCall(taken, outcome))
  }

  receiptCall(taken: Taken, outcome: Outcome): Call {
    return this.#face.receipt(taken, this.base, outcome)
  }

  inboundCall(message: Omit<Written, 'id'>): Call {
    return this.#face.inbound({ ...message, id: this.#nextId('in') }, this.base)
  }

  /** Delivers an inbound message, and retries until it is accepted. */
  async write(message: Omit<Written, 'id'>): Promise<boolean> {
    const call = this.inboundCall(message)
    for (let tries = 0; tries < 20; tries++) {
      if ((await this.deliver(call)) < 300) return true
      await sleep(20)
    }
    return false
  }

  async deliver({ url, headers, body }: Call): Promise<number> {
    assert.ok(url.startsWith(this.base), url)
    const path = url.slice(this.base.length) || '/'
    const request = { method: 'POST', path, query: {}, headers, body: Buffer.from(body) }
    try {
      return (await this.#callback()(path, request))?.status ?? 404
    } catch {
      return 500
    }
  }

  /** Sends the callback about a brand or campaign to its webhook URL. Returns the status of the response. */
  async notifyRegistration(what: 'brand' | 'campaign', id: string): Promise<number> {
    const url = this.registry.webhookOf(what, id)
    return this.deliver(this.#face.registrationCallback!(url, what, id))
  }

  /** Returns false for requests about other things. */
  #answerNumbers(request: IncomingMessage, response: ServerResponse, body: string): boolean {
    const { method = '', url = '' } = request
    const { pathname: path, searchParams: query } = new URL(url, this.url)
    const asked = { method, path, query, body }
    const { account } = this
    const isKnown = [null, request.headers.authorization].includes(account.authorization)
    const ask = () =>
      (isKnown ? null : this.#face.unauthorized?.()) ??
      this.#face.setup?.(this, asked) ??
      this.registry.answer(asked) ??
      this.#face.numbers?.(this.numbers, asked) ??
      null
    const mishap = this.numbers.mishapOf(method, path)
    const given = mishap === 'cut' || (typeof mishap === 'object' && mishap !== null) ? null : ask()
    if (!mishap && !given) return false
    if (mishap === 'silent') return true
    if (mishap === 'cut' || mishap === 'cut after taking') request.socket.destroy()
    else if (mishap === '500 after taking') reply(response, 500, '')
    else if (mishap) reply(response, mishap.status, mishap.body)
    else reply(response, given!.status, given!.body)
    return true
  }

  #nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}${String(this.#count).padStart(32, '0')}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => null)
    if (body === null) return // cut before it arrived
    const { method = '', url = '' } = request
    this.requests.push({ method, path: url })
    const file = this.files.get(url)
    if (file) return file(request, response)
    const isPublished = !url.startsWith('/dashboard/') // Bandwidth documents its XML only in prose
    if (isPublished && !this.#isAsPublished(request, body)) {
      return reply(response, 400, 'not as published')
    }
    const lookedUp = NUMBER_LOOKUP.exec(`${url} ${body}`)?.[1]
    if (lookedUp !== undefined) {
      const number = decodeURIComponent(lookedUp)
      this.lookUps.push(number)
      return reply(response, 200, this.#face.lookedUp(number))
    }
    if (this.#answerNumbers(request, response, body)) return
    if (method === 'GET') {
      const { searchParams } = new URL(url, this.url)
      return reply(response, this.queryStatus, this.#face.list(this.taken, searchParams))
    }
    const instead = this.instead.shift()
    const given = this.#face.read(request, body)
    const taken: Taken = {
      ...given,
      id: this.#nextId('id'),
      at: new Date(),
      atMs: performance.now(),
    }
    const refusal = this.refuses.get(given.to)
    if (refusal !== undefined) {
      const { status, body } = this.#face.refused(refusal)
      return reply(response, status, body)
    }
    if (!instead || instead.takes) this.taken.push(taken)
    if (this.isSilent) return
    const delayMs = instead?.delayMs ?? this.latencyMs
    if (delayMs > 0) await sleep(delayMs)
    if (instead && !instead.isUsual) return answerInstead(response, instead)
    const answer = this.#face.taken(taken)
    reply(response, answer.status, answer.body)
    const outcome = this.outcomes.get(taken.to) ?? { status: 'delivered' }
    if (instead) return // the test reports the outcome
    setTimeout(() => void this.report(taken, outcome), 5)
  }

  #isAsPublished({ method = '', url = '', headers }: IncomingMessage, body: string): boolean {
    const seen = { method, url, contentType: headers['content-type'], body }
    const { document } = this.#face
    const faults = document === null ? [] : faultsOf(document, seen)
    this.faults.push(...faults)
    return faults.length === 0
  }
}

function answerInstead(response: ServerResponse, instead: Instead): void {
  const { status, body = '', headers = {}, cut } = instead
  if (cut === 'before') return void response.socket?.destroy()
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (cut !== 'within') return void response.end(body)
  response.write(body || '{')
  response.socket?.end()
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
