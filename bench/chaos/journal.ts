// What callers and phones were told, and nothing else: the truth that the service is held to in the end.

import type { Customer } from './customers.js'

/** One message that a caller asked for. Texts are unique, so that it is known wherever it turns up. */
export interface Wanted {
  customer: Customer
  text: string
  to: string
  askedAtMs: number
  /** `open`: no answer that settles it has come. */
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
  /** Attempts that were not answered: they may still be under way in a node that stands still. */
  unanswered: number
}

/** A phone that opted out, from the acknowledgement of its STOP until it wrote START. */
export interface Stopped {
  customer: Customer
  phone: string
  fromMs: number
  untilMs: number
}

export interface InboundText {
  customer: Customer
  from: string
  text: string
}

export class Journal {
  readonly requests: Request[] = []
  readonly wanted: Wanted[] = []
  readonly stopped: Stopped[] = []
  /** Acknowledged to the carrier. */
  readonly inbound: InboundText[] = []
  /** Answers of success that contradict the one before under the same key. */
  readonly contradictions: string[] = []
  /** Statuses that no caller should ever see: 500 and the like. */
  readonly faults: string[] = []
  /** Answers by status and code. */
  readonly answers = new Map<string, number>()
  /** Requests that brought no answer at all. */
  silent = 0
  #texts = 0

  nextText(length: number): string {
    this.#texts += 1
    const text = `Chaos message ${this.#texts}:`
    return text.padEnd(length, ' and so on')
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
