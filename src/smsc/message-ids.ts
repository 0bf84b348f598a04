// The message ids of our SMSC: numbers that count up from its start time, so a restarted SMSC reuses none. Some
// carriers write them in hex in the response and in decimal in the receipt, or vice versa.

import { randomUUID } from 'node:crypto'

type SmscIdForm = 'hex' | 'decimal' | 'uuid'

export interface IdNumbering {
  idForm: SmscIdForm
  /** Null uses the form of the response. UUIDs have only one form. */
  receiptIdForm: Exclude<SmscIdForm, 'uuid'> | null
}

export interface AssignedId {
  inAnswer: string
  inReceipt: string
}

/** At most this many per second, so the numbers never reach those of the next start. */
const IDS_PER_MS = 16

export class MessageIds {
  readonly #numbering: IdNumbering
  #next: number

  constructor(numbering: IdNumbering, nowMs: number) {
    this.#numbering = numbering
    this.#next = nowMs * IDS_PER_MS
  }

  give(): AssignedId {
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
