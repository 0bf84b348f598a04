// The responses that clients and phones got, and nothing else. At the end the state of the service must match them.

import type { Customer } from './customers.js'

/** One requested message. Texts are unique, so it can be identified everywhere. */
export interface Wanted {
  customer: Customer
  /** As it must arrive. */
  text: string
  /** As the client wrote it, with symbols that the service replaces. */
  written: string
  to: string
  askedAtMs: number
  /** When the accepting response arrived. */
  acceptedAtMs: number | null
  /** Null: it is sent at once. */
  scheduledAtMs: number | null
  /** Null: the default of four hours. */
  validitySeconds: number | null
  metadata: Record<string, string>
  /** `asked`: the result of the request to cancel it is not known. */
  cancel: 'none' | 'asked' | 'confirmed'
  /** `open`: no conclusive response yet. */
  answer: 'open' | 'accepted' | 'refused'
  id: string | null
  /** Why it was refused. */
  code: string | null
  request: Request
}

/** The content of one request, which can be repeated with its key. */
export interface Request {
  path: string
  key: string | null
  body: string
  wanted: Wanted[]
  /** Attempts without a response, which may still be in progress in a frozen node. */
  unanswered: number
}

/** A phone that opted out, from the acknowledgement of its STOP until its START. */
export interface Stopped {
  customer: Customer
  phone: string
  fromMs: number
  untilMs: number
}

/** A text that a phone sent. */
export interface InboundText {
  customer: Customer
  from: string
  text: string
  writtenAtMs: number
  /** When it was acknowledged to the carrier, with its last part. Null: it was not, and the service may have it or not. */
  keptAtMs: number | null
}

export class Journal {
  readonly requests: Request[] = []
  readonly wanted: Wanted[] = []
  readonly stopped: Stopped[] = []
  readonly inbound: InboundText[] = []
  /** Successful responses that contradict the one before with the same key. */
  readonly contradictions: string[] = []
  /** Statuses that no client should ever get, such as 500. */
  readonly faults: string[] = []
  /** Responses by status and code. */
  readonly answers = new Map<string, number>()
  /** Requests without a response. */
  silent = 0
  #texts = 0

  /** The unique start of a text. */
  nextStart(): string {
    this.#texts += 1
    return `Chaos message ${this.#texts}:`
  }

  add(request: Request): void {
    this.requests.push(request)
    this.wanted.push(...request.wanted)
  }

  countAnswer(status: number, code: string): void {
    const key = status === 200 ? '200' : `${status} ${code}`
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1)
    if (status >= 500 && status !== 503) this.faults.push(key)
  }

  accept(wanted: Wanted, id: string): void {
    if (wanted.answer === 'accepted' && wanted.id !== id) {
      this.contradictions.push(`${wanted.text}: ${wanted.id}, then ${id}`)
    }
    wanted.answer = 'accepted'
    wanted.id = id
    wanted.acceptedAtMs ??= Date.now()
  }

  refuse(wanted: Wanted, code: string): void {
    if (wanted.answer === 'accepted') this.contradictions.push(`${wanted.text}: refused, ${code}`)
    else {
      wanted.answer = 'refused'
      wanted.code = code
    }
  }

  count(isMeant: (wanted: Wanted) => boolean): number {
    return this.wanted.filter(isMeant).length
  }
}
