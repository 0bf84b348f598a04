// Webhook endpoints, each behind a network that can fail. During faults they respond late, with an error, or not at
// all. They record every event, whether its signature is valid, and whether they acknowledged it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Random } from '../../src/smsc/random.js'
import { Network } from './network.js'

/** The first arrival of an event, and its result. */
export interface Arrival {
  id: string
  eventType: string
  messageId: string | null
  sequence: number | null
  status: string | null
  isAnswered: boolean
  /** An earlier event of the same message was not acknowledged when this one arrived. */
  isEarly: boolean
}

const SLOW_MS_MAX = 4_000

export class ChaosReceiver {
  readonly arrivals = new Map<string, Arrival>()
  readonly #answered = new Map<string, Set<number>>()
  readonly #server: Server
  readonly #random: Random
  #webhook: Webhook | null = null
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

  set secret(secret: string) {
    this.#webhook = new Webhook(secret)
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

  #isGenuine(text: string, { headers }: IncomingMessage): boolean {
    try {
      this.#webhook!.verify(text, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  #note({ id, eventType, data }: WebhookEvent): Arrival {
    const known = this.arrivals.get(id)
    if (known) {
      this.repeats += 1
      return known
    }
    const messageId = data.message?.id ?? null
    const sequence = data.sequence ?? null
    const isEarly = messageId !== null && sequence !== null && !this.#isDue(messageId, sequence)
    const status = data.message?.status ?? null
    const arrival = { id, eventType, messageId, sequence, status, isAnswered: false, isEarly }
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
  data: { message?: { id: string; status: string }; sequence?: number }
}
