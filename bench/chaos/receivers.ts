// Webhook endpoints, each behind a network that can fail. During faults they respond late, with an error, or not at
// all. They record every event with its contents, whether its signatures are valid, and whether they acknowledged it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Random } from '../../src/smsc/random.js'
import { Network } from './network.js'

/** The message in an event. */
interface WireMessage {
  id: string
  status: string
  [field: string]: unknown
}

/** The first arrival of an event, and its result. */
export interface Arrival {
  id: string
  atMs: number
  eventType: string
  messageId: string | null
  sequence: number | null
  status: string | null
  previousStatus: string | null
  message: WireMessage | null
  isAnswered: boolean
  /** An earlier event of the same message was not acknowledged when this one arrived. */
  isEarly: boolean
  /** It came again with another status or sequence. */
  isChanged: boolean
}

export interface ExpectedWebhook {
  id: string
  secret: string
  signature: string
}

const SLOW_MS_MAX = 4_000

export class ChaosReceiver {
  readonly arrivals = new Map<string, Arrival>()
  readonly #answered = new Map<string, Set<number>>()
  readonly #server: Server
  readonly #random: Random
  #expected!: ExpectedWebhook & { verifier: Webhook }
  network!: Network
  isMoody = false
  forged = 0
  repeats = 0

  private constructor(random: Random) {
    this.#random = random
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  static async start(random: Random): Promise<ChaosReceiver> {
    const receiver = new ChaosReceiver(random)
    const server = receiver.#server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver.network = await Network.open((server.address() as AddressInfo).port)
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.network.port}/hook`
  }

  expect(webhook: ExpectedWebhook): void {
    this.#expected = { ...webhook, verifier: new Webhook(webhook.secret) }
  }

  async close(): Promise<void> {
    await this.network.close()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    request.setEncoding('utf8')
    for await (const chunk of request) text += chunk
    if (!this.#isGenuine(text, request)) {
      this.forged += 1
      response.writeHead(400).end()
      return
    }
    const arrival = this.#note(JSON.parse(text) as WebhookEvent)
    const mood = this.isMoody ? this.#random() : 1
    if (mood < 0.04) return void response.destroy()
    if (mood < 0.08) return void response.writeHead(500).end()
    if (mood < 0.13) await sleep(this.#random() * SLOW_MS_MAX)
    arrival.isAnswered = true
    if (arrival.messageId !== null && arrival.sequence !== null) {
      this.#answeredOf(arrival.messageId).add(arrival.sequence)
    }
    response.writeHead(204).end()
  }

  /** Both signatures, and the webhook that the event names. */
  #isGenuine(text: string, { headers }: IncomingMessage): boolean {
    const { id, signature, verifier } = this.#expected
    try {
      verifier.verify(text, headers as Record<string, string>)
    } catch {
      return false
    }
    const event = JSON.parse(text) as WebhookEvent
    const isOurs = event.webhookId === id && event.signature === signature
    return (
      isOurs && headers['x-webhook-signature'] === signature && headers['webhook-id'] === event.id
    )
  }

  #note({ id, eventType, data }: WebhookEvent): Arrival {
    const message = data.message ?? null
    const messageId = message?.id ?? null
    const [sequence, status] = [data.sequence ?? null, message?.status ?? null]
    const known = this.arrivals.get(id)
    if (known) {
      this.repeats += 1
      if (known.sequence !== sequence || known.status !== status) known.isChanged = true
      return known
    }
    const isEarly = messageId !== null && sequence !== null && !this.#isDue(messageId, sequence)
    const arrival: Arrival = {
      ...{ id, atMs: Date.now(), eventType, messageId, sequence, status, message },
      previousStatus: data.previousStatus ?? null,
      ...{ isAnswered: false, isEarly, isChanged: false },
    }
    this.arrivals.set(id, arrival)
    return arrival
  }

  #isDue(messageId: string, sequence: number): boolean {
    const answered = this.#answeredOf(messageId)
    for (let earlier = 1; earlier < sequence; earlier += 1) {
      if (!answered.has(earlier)) return false
    }
    return true
  }

  #answeredOf(messageId: string): Set<number> {
    const answered = this.#answered.get(messageId) ?? new Set<number>()
    this.#answered.set(messageId, answered)
    return answered
  }
}

interface WebhookEvent {
  id: string
  eventType: string
  webhookId: string
  signature: string
  data: { message?: WireMessage; sequence?: number; previousStatus?: string }
}
