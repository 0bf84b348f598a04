// A provider with Twilio's HTTP API: accepts messages, lists them, and reports their delivery by signed callbacks,
// which it repeats until the service returns 2xx. It records what it accepted and which reports were acknowledged.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { happens, type Random, seededRandom } from '../../src/smsc/random.js'
import {
  type ChaosCarrier,
  type Refused,
  type Report,
  SHARED_FIELDS,
  type Taken,
} from './carrier.js'
import { partsOf } from './judge/text-model.js'
import { Network } from './network.js'

/** Callbacks are signed for this address, whichever node receives them. */
export const PUBLIC_URL = 'http://chaos.test'

const ACCOUNT_SID = `AC${'0'.repeat(32)}`
const AUTH_TOKEN = 'chaos-auth-token'
const RECEIPT_DELAY_MS = 150
const CALLBACK_MS_MAX = 5_000
const CALLBACK_AGAIN_MS = 500
const PAGE_SIZE_MAX = 200
const FAILED_PERCENT = 10
/** Twilio's codes for an unknown and for an unreachable handset, and ours. */
const FAILURES = [
  { error: '30005', code: 1350 },
  { error: '30003', code: 1380 },
]
/** A report that arrives again, and an earlier one that arrives last. */
const REPEATED_PERCENT = 15
/** Refuses every message as too long. */
export const REFUSED_PHONE = '+13035550180'
const REFUSAL = { code: 21617, message: 'The concatenated message body is too long', status: 400 }
const REFUSED_AS = 1375

interface Accepted extends Taken {
  sid: string
}

interface Faults {
  throttle: number
  /** Returned 502, half of them after accepting. */
  gateway: number
  /** Accepted without a response. */
  lose: number
  delayMs: number
}

const CALM: Faults = { throttle: 0, gateway: 0, lose: 0, delayMs: 0 }

export class HttpCarrier implements ChaosCarrier {
  readonly name = 'http'
  readonly taken: Accepted[] = []
  readonly fragments = []
  readonly refused: Refused[] = []
  network!: Network
  readonly #random: Random
  readonly #server: Server
  #faults = CALM
  #sids = 0
  #isClosed = false

  /** `addresses`: nodes that accept callbacks. */
  private constructor(
    seed: number,
    readonly addresses: () => readonly string[],
  ) {
    this.#random = seededRandom(seed)
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(seed: number, addresses: () => readonly string[]): Promise<HttpCarrier> {
    const carrier = new HttpCarrier(seed, addresses)
    await new Promise<void>((resolve) => carrier.#server.listen(0, '127.0.0.1', resolve))
    carrier.network = await Network.open((carrier.#server.address() as AddressInfo).port)
    return carrier
  }

  misbehave(): void {
    this.#faults = { throttle: 10, gateway: 10, lose: 5, delayMs: 200 }
  }

  behave(): void {
    this.#faults = CALM
  }

  /** Some arrive again although they were acknowledged. */
  async write(from: string, to: string, body: string): Promise<boolean> {
    const url = `${PUBLIC_URL}/carrier/${this.name}`
    const fields = {
      ...{ MessageSid: this.#nextSid(), SmsStatus: 'received', NumMedia: '0' },
      ...{ From: from, To: to, Body: body },
    }
    const isAcknowledged = await this.#callUntilAnswered(url, fields)
    if (isAcknowledged && happens(this.#random, REPEATED_PERCENT)) await this.#call(url, fields)
    return isAcknowledged
  }

  linkFields(): Record<string, unknown> {
    return {
      kind: 'twilio',
      url: `http://127.0.0.1:${this.network.port}`,
      accountSid: ACCOUNT_SID,
      authToken: AUTH_TOKEN,
      answersKeywords: false,
      hostsStock: true, // the same numbers as over SMPP
      lookSeconds: 5,
      unknown: 'settle',
      ...SHARED_FIELDS,
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.network.close()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const body = await text(request).catch(() => null)
    if (body === null) return // cut before the request was complete
    const { throttle, gateway, lose, delayMs } = this.#faults
    if (request.method === 'GET') {
      const { searchParams } = new URL(request.url!, PUBLIC_URL)
      return reply(response, 200, this.#list(searchParams))
    }
    if (happens(this.#random, throttle)) {
      response.setHeader('retry-after', '1')
      return reply(response, 429, { code: 20429, message: 'Too Many Requests', status: 429 })
    }
    const isGateway = happens(this.#random, gateway)
    if (isGateway && happens(this.#random, 50)) return reply(response, 502, 'Bad gateway')
    const form = new URLSearchParams(body)
    if (form.get('To') === REFUSED_PHONE) {
      this.refused.push({ ...submitted(form), code: REFUSED_AS })
      return reply(response, 400, REFUSAL)
    }
    const accepted = this.#accept(form)
    if (isGateway) return reply(response, 502, 'Bad gateway')
    if (happens(this.#random, lose)) return
    if (delayMs > 0) await sleep(delayMs)
    reply(response, 201, { sid: accepted.sid, status: 'queued', price: null })
  }

  #accept(form: URLSearchParams): Accepted {
    const { from, to, text } = submitted(form)
    const accepted: Accepted = {
      ...{ sid: this.#nextSid(), text, from, to, parts: partsOf(text) },
      ...{ atMs: Date.now(), report: null, receipt: null },
    }
    this.taken.push(accepted)
    void this.#report(accepted, form.get('StatusCallback')!) // ends when acknowledged or closed
    return accepted
  }

  async #report(accepted: Accepted, url: string): Promise<void> {
    const failure = happens(this.#random, FAILED_PERCENT)
      ? FAILURES[Math.floor(this.#random() * FAILURES.length)]!
      : null
    await sleep(RECEIPT_DELAY_MS)
    const report: Report = failure
      ? { status: 'FAILED', codes: [failure.code] }
      : { status: 'DELIVERED', codes: [] }
    accepted.report = report
    const { sid, from, to } = accepted
    const about = { MessageSid: sid, From: from, To: to }
    const fields = failure
      ? { ...about, MessageStatus: 'undelivered', ErrorCode: failure.error }
      : { ...about, MessageStatus: 'delivered' }
    if (!(await this.#callUntilAnswered(url, fields))) return
    accepted.receipt = report.status
    if (!happens(this.#random, REPEATED_PERCENT)) return
    await this.#callUntilAnswered(url, { ...about, MessageStatus: 'sent' })
    await this.#callUntilAnswered(url, fields)
  }

  /** Newest first, as Twilio lists them. */
  #list(query: URLSearchParams): object {
    const [from, to] = [query.get('From'), query.get('To')]
    const size = Math.min(Number(query.get('PageSize') ?? PAGE_SIZE_MAX), PAGE_SIZE_MAX)
    const fitting = this.taken
      .filter((one) => (from === null || one.from === from) && (to === null || one.to === to))
      .reverse()
    const messages = fitting.slice(0, size).map((one) => ({
      ...{ sid: one.sid, from: one.from, to: one.to, body: one.text, direction: 'outbound-api' },
      ...{ status: 'sent', date_created: new Date(one.atMs).toUTCString() },
    }))
    const next = fitting.length > size ? '/next' : null
    return { messages, page: 0, page_size: size, next_page_uri: next }
  }

  /** Returns false if the run ended first. */
  async #callUntilAnswered(url: string, fields: Record<string, string>): Promise<boolean> {
    while (!this.#isClosed) {
      if (await this.#call(url, fields)) return true
      await sleep(CALLBACK_AGAIN_MS * (1 + this.#random()))
    }
    return false
  }

  async #call(url: string, fields: Record<string, string>): Promise<boolean> {
    const addresses = this.addresses()
    const address = addresses[Math.floor(this.#random() * addresses.length)]!
    const pairs = Object.keys(fields).sort()
    const signed = url + pairs.map((name) => name + fields[name]).join('')
    const signature = createHmac('sha1', AUTH_TOKEN).update(signed).digest('base64')
    try {
      const answer = await fetch(address + new URL(url).pathname, {
        method: 'POST',
        headers: { 'x-twilio-signature': signature },
        body: new URLSearchParams(fields),
        signal: AbortSignal.timeout(CALLBACK_MS_MAX),
      })
      await answer.arrayBuffer()
      return answer.ok
    } catch {
      return false // refused, cut, or timed out
    }
  }

  #nextSid(): string {
    this.#sids += 1
    return `SM${this.#sids.toString(16).padStart(32, '0')}`
  }
}

function reply(response: ServerResponse, status: number, body: object | string): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
  response.end(isText ? body : JSON.stringify(body))
}

function submitted(form: URLSearchParams): { from: string; to: string; text: string } {
  const [from, to, text] = ['From', 'To', 'Body'].map((name) => form.get(name) ?? '')
  return { from: from!, to: to!, text: text! }
}
