// A provider behind an HTTP API, as far as a link can see one: it takes messages as Telnyx, Bandwidth or Twilio does,
// calls back with what became of them, and brings what phones write. What goes wrong is the test's to say.

import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallbackReply, CallbackRequest } from '../../src/messages/carrier-port.js'

export interface Taken {
  id: string
  from: string
  to: string
  text: string
  /** Where it says what became of it, and the id of ours that it was given. */
  statusUrl: string | null
  tag: string | null
  fields: Record<string, unknown>
}

export interface Call {
  url: string
  headers: Record<string, string>
  body: string
}

/** What is particular to one of them. */
export interface Face {
  read: (request: IncomingMessage, body: string) => Omit<Taken, 'id'>
  /** Of a message that is taken. */
  taken: (taken: Taken) => { status: number; body: unknown }
  refused: (code: string) => { status: number; body: unknown }
  /** Of a query for what was sent. */
  list: (taken: readonly Taken[]) => unknown
  receipt: (taken: Taken, base: string, outcome: Outcome) => Call
  inbound: (message: Written, base: string) => Call
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
  /** It has acted on the word by itself. */
  handled?: string
}

type Callback = (path: string, request: CallbackRequest) => Promise<CallbackReply | null>

export class FakeProvider {
  readonly taken: Taken[] = []
  readonly requests: { method: string; path: string }[] = []
  /** By the recipient: refused with this code. */
  readonly refuses = new Map<string, string>()
  /** Reads and takes, and never answers. */
  isSilent = false
  /** Answers so instead, once for each. */
  readonly instead: { status: number; body?: string; takes?: boolean }[] = []
  readonly base: string
  readonly #face: Face
  readonly #callback: () => Callback
  readonly #sockets = new Set<Socket>()
  #server: Server | null = null
  #port = 0
  #count = 0

  /** Calls come to addresses that begin with the base. */
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

  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = null
    const closed = new Promise((resolve) => server.close(resolve))
    this.cut()
    await closed
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Says what became of a message. The reply's status. */
  async report(taken: Taken, outcome: Outcome): Promise<number> {
    return this.deliver(this.#face.receipt(taken, this.base, outcome))
  }

  /** Brings what a phone wrote, again and again until it is kept. */
  async write(message: Omit<Written, 'id'>): Promise<boolean> {
    const call = this.#face.inbound({ ...message, id: this.#nextId('in') }, this.base)
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

  #nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}${String(this.#count).padStart(32, '0')}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '')
    const { method = '', url = '' } = request
    this.requests.push({ method, path: url })
    if (method === 'GET') return reply(response, 200, this.#face.list(this.taken))
    const instead = this.instead.shift()
    const given = this.#face.read(request, body)
    const taken: Taken = { ...given, id: this.#nextId('id') }
    const refusal = this.refuses.get(given.to)
    if (refusal !== undefined) {
      const { status, body } = this.#face.refused(refusal)
      return reply(response, status, body)
    }
    if (!instead || instead.takes) this.taken.push(taken)
    if (this.isSilent) return
    if (instead) return reply(response, instead.status, instead.body ?? '')
    const answer = this.#face.taken(taken)
    reply(response, answer.status, answer.body)
    setTimeout(() => void this.report(taken, { status: 'delivered' }), 5)
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export interface TelnyxFace extends Face {
  publicKey: string
}

export function telnyxFace(): TelnyxFace {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const call = (url: string, type: string, payload: object): Call => {
    const data = { event_type: type, id: 'evt', occurred_at: new Date().toISOString(), payload }
    return signedCall(privateKey, url, JSON.stringify({ data, meta: { attempt: 1 } }))
  }
  const numberOf = (phone_number: string) => ({
    ...{ phone_number, carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless' },
  })
  return {
    publicKey: raw.toString('base64'),
    read: (_request, body) => {
      const fields = JSON.parse(body)
      const { from, to, text = '', webhook_url: statusUrl } = fields
      return { from, to, text, statusUrl, tag: null, fields }
    },
    taken: ({ id, to }) => ({
      status: 200,
      body: { data: { id, to: [{ ...numberOf(to), status: 'queued' }] } },
    }),
    refused: (code) => ({
      status: 400,
      body: { errors: [{ code, title: 'Refused', detail: 'For a reason' }] },
    }),
    list: () => ({ data: [] }),
    receipt: ({ id, to, statusUrl }, _base, { status, code }) => {
      const said = { delivered: 'delivered', failed: 'delivery_failed', sent: 'sent' }
      const word = status === 'unconfirmed' ? 'delivery_unconfirmed' : said[status]
      const errors = code ? [{ code, title: 'Failed' }] : []
      const payload = { id, to: [{ ...numberOf(to), status: word }], errors }
      return call(statusUrl!, status === 'sent' ? 'message.sent' : 'message.finalized', payload)
    },
    inbound: ({ id, from, to, text, mediaUrls = [] }, base) =>
      call(base, 'message.received', {
        ...{ id, text, from: numberOf(from), to: [{ phone_number: to }] },
        media: mediaUrls.map((url) => ({ url, content_type: 'image/png' })),
      }),
  }
}

function signedCall(key: KeyObject, url: string, body: string, at = Date.now()): Call {
  const timestamp = String(Math.floor(at / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
  const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
  return { url, headers, body }
}

export function bandwidthFace(user: string, password: string): Face {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const call = (url: string, event: object): Call => ({
    ...{ url, headers: { authorization }, body: JSON.stringify([event]) },
  })
  const time = new Date().toISOString()
  return {
    read: (_request, body) => {
      const fields = JSON.parse(body)
      const { from, to, text = '', tag } = fields
      return { from, to: to[0], text, statusUrl: null, tag, fields }
    },
    taken: ({ id, tag }) => ({ status: 202, body: { id, tag, segmentCount: 1 } }),
    refused: (code) => ({
      status: 400,
      body: { code, type: 'refused', description: 'For a reason' },
    }),
    list: (taken) => ({
      messages: taken.map(({ id, tag }) => ({ messageId: id, messageTag: tag })),
    }),
    receipt: ({ id, to, tag }, base, { status, code }) => {
      const word = status === 'unconfirmed' ? 'failed' : status
      const errorCode = status === 'unconfirmed' ? 9902 : code && Number(code)
      return call(base, {
        ...{ type: `message-${word}`, time, to, description: 'so it is', errorCode },
        message: { id, tag, direction: 'out', segmentCount: 1 },
      })
    },
    inbound: ({ id, from, to, text, mediaUrls }, base) =>
      call(base, {
        ...{ type: 'message-received', time, to, description: 'Incoming' },
        message: { id, from, to: [to], owner: to, text, media: mediaUrls, direction: 'in' },
      }),
  }
}

export function twilioFace(authToken: string): Face {
  const call = (url: string, fields: Record<string, string>): Call => {
    const form = new URLSearchParams(fields)
    const words = Object.keys(fields).sort()
    const signed = url + words.map((name) => name + fields[name]).join('')
    const signature = createHmac('sha1', authToken).update(signed).digest('base64')
    return { url, headers: { 'x-twilio-signature': signature }, body: form.toString() }
  }
  return {
    read: (_request, body) => {
      const form = Object.fromEntries(new URLSearchParams(body))
      const { From: from = '', To: to = '', Body: text = '', StatusCallback } = form
      return { from, to, text, statusUrl: StatusCallback ?? null, tag: null, fields: form }
    },
    taken: ({ id }) => ({ status: 201, body: { sid: id, status: 'queued', price: null } }),
    refused: (code) => ({
      status: 400,
      body: { code: Number(code), message: 'Refused', status: 400 },
    }),
    list: (taken) => ({ messages: taken.map(({ id, to, text }) => ({ sid: id, to, body: text })) }),
    receipt: ({ id, to, from, statusUrl }, _base, { status, code }) => {
      const word = { sent: 'sent', unconfirmed: 'sent', delivered: 'delivered', failed: 'failed' }
      return call(statusUrl!, {
        ...{ MessageSid: id, MessageStatus: word[status], To: to, From: from },
        ...(code !== undefined && { ErrorCode: code }),
      })
    },
    inbound: ({ id, from, to, text, mediaUrls = [], handled }, base) =>
      call(base, {
        ...(handled !== undefined && { OptOutType: handled }),
        ...{ MessageSid: id, SmsStatus: 'received', From: from, To: to, Body: text },
        ...{ NumMedia: String(mediaUrls.length) },
        ...Object.fromEntries(mediaUrls.map((url, i) => [`MediaUrl${i}`, url])),
      }),
  }
}
