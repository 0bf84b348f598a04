// The ids that our SMSC gives: numbers that count up from the time of its start, so that one that was started
// again names no message as the one before did. Some carriers write them in hex in the answer and in decimal
// in the receipt, or the other way round.

import { randomUUID } from 'node:crypto'

type SmscIdForm = 'hex' | 'decimal' | 'uuid'

export interface IdNumbering {
  idForm: SmscIdForm
  /** Null: as in the answer. Ids that are UUIDs are written in one way only. */
  receiptIdForm: Exclude<SmscIdForm, 'uuid'> | null
}

export interface GivenId {
  inAnswer: string
  inReceipt: string
}

/** At most this many per second, so the numbers never meet those of the next start. */
const IDS_PER_MS = 16

export class MessageIds {
  readonly #numbering: IdNumbering
  #next: number

  constructor(numbering: IdNumbering, nowMs: number) {
    this.#numbering = numbering
    this.#next = nowMs * IDS_PER_MS
  }

  give(): GivenId {
    const { idForm, receiptIdForm } = this.#numbering
    if (idForm === 'uuid') {
      const id = randomUUID()
      return { inAnswer: id, inReceipt: id }
    }
    const number = this.#next++
    const inAnswer = written(number, idForm)
    const isSame = receiptIdForm === null || receiptIdForm === idForm
    return { inAnswer, inReceipt: isSame ? inAnswer : written(number, receiptIdForm) }
  }
}

function written(number: number, form: 'hex' | 'decimal'): string {
  return number.toString(form === 'hex' ? 16 : 10)
}
