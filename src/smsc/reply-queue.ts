// When responses to submits are sent: immediately, after a delay, or in another order than the submits.

import type { SubmitPdu } from '../smpp/pdu/pdu.js'
import { Delayed } from './delayed.js'
import { type Random, shuffled } from './random.js'
import type { Faults } from './smsc-options.js'

export interface PlannedAnswer {
  connection: { answer: (answer: PlannedAnswer) => void }
  pdu: SubmitPdu
  status: number
  messageId: string
}

/** How many responses, or how many milliseconds of them, are shuffled. */
const MIXED_MAX = 16
const MIXED_MS = 10

export class ReplyQueue {
  readonly #faults: () => Readonly<Faults>
  readonly #random: Random
  readonly #later = new Delayed<PlannedAnswer>((answer) => this.#leave(answer))
  #mixed: PlannedAnswer[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(faults: () => Readonly<Faults>, random: Random) {
    this.#faults = faults
    this.#random = random
  }

  plan(answer: PlannedAnswer): void {
    this.#later.add(answer, this.#faults().delayMs)
  }

  stop(): void {
    this.#later.stop()
    if (this.#timer) clearTimeout(this.#timer)
    this.#mixed = []
  }

  #leave(answer: PlannedAnswer): void {
    if (!this.#faults().reorder) {
      answer.connection.answer(answer)
      return
    }
    this.#mixed.push(answer)
    if (this.#mixed.length >= MIXED_MAX) this.#mix()
    else this.#timer ??= setTimeout(() => this.#mix(), MIXED_MS)
  }

  #mix(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const answers = shuffled(this.#mixed, this.#random)
    this.#mixed = []
    for (const answer of answers) answer.connection.answer(answer)
  }
}
