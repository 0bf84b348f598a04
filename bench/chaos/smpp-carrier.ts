// A carrier at the other end of an SMPP link: the simulated SMSC, with a record of what it received and refused, what
// its receipts report, and which of them the service acknowledged. The link `repeats` resends messages with unknown
// outcomes, `once` settles them.

import type { AcceptedMessage, AcceptedPart } from '../../src/smsc/accepted-messages.js'
import type { RefusedSubmit } from '../../src/smsc/connection.js'
import { wantsReceipt } from '../../src/smsc/receipts.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import type { Faults } from '../../src/smsc/smsc-options.js'
import {
  type ChaosCarrier,
  type Fragment,
  type Refused,
  type Report,
  SHARED_FIELDS,
  type Taken,
} from './carrier.js'
import { partsOf } from './judge/text-model.js'
import { Network } from './network.js'

const RECEIPT_DELAY_MS = 150
/** In the range for vendors. */
const INBOUND_ID_TAG = 0x1401
const REMEMBERED_MAX = 200_000
const CALM: Partial<Faults> = {
  throttle: 0,
  queueFull: 0,
  lose: 0,
  delayMs: 0,
  reorder: false,
  duplicateAnswers: false,
}
/** The errors of GSM networks in its receipts: phone off, phone busy, service blocked. */
const RECEIPT_CODES: Readonly<Record<number, number>> = { 27: 1380, 31: 1380, 13: 1375 }
/** Statuses that refuse a message permanently. All others ask to send it later. */
const REFUSALS: Readonly<Record<number, number>> = { 11: 1350, 1084: 1360, 1094: 1370 }

interface Whole {
  atMs: number
  message: AcceptedMessage
}

export class SmppCarrier implements ChaosCarrier {
  readonly refused: Refused[] = []
  readonly #messages: Whole[] = []
  readonly #parts = new Set<AcceptedPart>()
  /** Parts with acknowledged receipts. */
  readonly #receipted = new Set<AcceptedPart>()
  #smsc!: Smsc
  #inbounds = 0
  network!: Network

  private constructor(readonly name: 'once' | 'repeats') {}

  static async start(name: 'once' | 'repeats', seed: number): Promise<SmppCarrier> {
    const carrier = new SmppCarrier(name)
    carrier.#smsc = await startSmsc(
      {
        seed,
        receipts: name === 'once' ? 'delivered' : 'mix',
        receiptDelayMs: RECEIPT_DELAY_MS,
        acceptedMax: REMEMBERED_MAX,
      },
      {
        onPart: (part) => carrier.#parts.add(part),
        onMessage: (message) => carrier.#take(message),
        onReceipted: (part) => carrier.#receipted.add(part),
        onRefused: (refused) => carrier.#refuse(refused),
      },
    )
    carrier.network = await Network.open(carrier.#smsc.port)
    return carrier
  }

  get taken(): Taken[] {
    return this.#messages.map(({ atMs, message: { text, from, to, parts } }) => ({
      ...{ text: text ?? '', from, to, parts: parts.length, atMs },
      report: reportOf(parts),
      receipt: this.#receiptOf(parts),
    }))
  }

  get fragments(): Fragment[] {
    return [...this.#parts].map((part) => ({
      ...{ from: part.from, to: part.to, text: part.text ?? '' },
      report: reportOf([part]),
      isReceipted: this.#receipted.has(part),
    }))
  }

  /** The carrier also repeats responses and sends them out of order. */
  misbehave(): void {
    this.#smsc.change({ throttle: 10, queueFull: 5, lose: 5, delayMs: 200 })
    this.#smsc.change({ reorder: true, duplicateAnswers: true })
  }

  behave(): void {
    this.#smsc.change(CALM)
  }

  /** With an id, so its redelivery can be told from the same text again. Parts of a long text have none. */
  write(from: string, to: string, text: string): Promise<boolean> {
    this.#inbounds += 1
    const id = { tag: INBOUND_ID_TAG, value: Buffer.from(`inbound ${this.#inbounds}`) }
    return this.#smsc.sendInbound({ from, to, text, tlvs: partsOf(text) === 1 ? [id] : [] })
  }

  linkFields(): Record<string, unknown> {
    return {
      kind: 'smpp',
      host: '127.0.0.1',
      port: this.network.port,
      systemId: this.name,
      password: 'secret12',
      window: 20,
      enquireLinkSeconds: 2,
      bindTimeoutSeconds: 2,
      reconnect: { firstSeconds: 0.2, maxSeconds: 1 },
      inboundIdTag: INBOUND_ID_TAG,
      carrierCodes: { statuses: { '0x43c': 1360, '0x446': 1370 } },
      unknown: this.name === 'repeats' ? 'resend' : 'settle',
      ...SHARED_FIELDS,
    }
  }

  async close(): Promise<void> {
    await this.network.close()
    await this.#smsc.stop()
  }

  #take(message: AcceptedMessage): void {
    this.#messages.push({ atMs: Date.now(), message })
    for (const part of message.parts) this.#parts.delete(part)
  }

  #refuse({ from, to, text, status }: RefusedSubmit): void {
    const code = REFUSALS[status]
    if (code !== undefined) this.refused.push({ from, to, text: text ?? '', code })
  }

  /** A message is delivered with its last part, and failed with the first part that failed. */
  #receiptOf(parts: readonly AcceptedPart[]): Taken['receipt'] {
    const receipted = parts.filter((part) => this.#receipted.has(part))
    const missing = parts.filter((part) => !this.#receipted.has(part))
    if (receipted.some(({ state }) => state !== 'DELIVERED')) return 'FAILED'
    return receipted.length > 0 && !missing.some(wantsReceipt) ? 'DELIVERED' : null
  }
}

/** Set before the receipt leaves. */
function reportOf(parts: readonly AcceptedPart[]): Report | null {
  const reporting = parts.filter(wantsReceipt)
  const failed = reporting.filter(({ doneAt, state }) => doneAt !== null && state !== 'DELIVERED')
  const codes = failed.map(({ error }) => RECEIPT_CODES[error]!)
  if (codes.length > 0) return { status: 'FAILED', codes }
  const isDelivered = reporting.every(({ doneAt }) => doneAt !== null) && reporting.length > 0
  return isDelivered ? { status: 'DELIVERED', codes: [] } : null
}
