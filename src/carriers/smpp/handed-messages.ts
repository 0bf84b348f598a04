// Messages that a link has accepted but not settled: who is waiting for which message, and since when. Messages
// arrive in batches, and a batch is settled when all its messages are.

import type { SubmitAnswer } from '../../messages/carrier-port.js'
import type { OutgoingMessage } from './outgoing-message.js'

interface Batch {
  answers: SubmitAnswer[]
  unanswered: number
  resolve: (answers: SubmitAnswer[]) => void
}

/** The position of one message: its batch, and its place in it. */
export interface BatchPlace {
  batch: Batch
  index: number
}

export function openBatch(size: number, resolve: Batch['resolve']): Batch {
  const answers: SubmitAnswer[] = new Array(size)
  if (size === 0) resolve(answers)
  return { answers, unanswered: size, resolve }
}

export function answerPlace({ batch, index }: BatchPlace, answer: SubmitAnswer): void {
  batch.answers[index] = answer
  batch.unanswered -= 1
  if (batch.unanswered === 0) batch.resolve(batch.answers)
}

export class HandedMessages {
  /** In order of arrival. */
  readonly #places = new Map<OutgoingMessage, BatchPlace>()
  #waitingForNone: (() => void)[] = []

  get size(): number {
    return this.#places.size
  }

  add(message: OutgoingMessage, place: BatchPlace): void {
    this.#places.set(message, place)
  }

  /** Oldest first. */
  messages(): MapIterator<OutgoingMessage> {
    return this.#places.keys()
  }

  answer(message: OutgoingMessage, answer: SubmitAnswer): void {
    const place = this.#places.get(message)
    this.#places.delete(message)
    if (place) answerPlace(place, answer)
    if (this.size === 0) for (const resolve of this.#waitingForNone.splice(0)) resolve()
  }

  /** Resolves when all are settled, or after a timeout. */
  async drain(maxMs: number): Promise<void> {
    if (this.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMs)
      this.#waitingForNone.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}
