// A carrier at the other end of an SMPP link: the simulated SMSC, with a record of what it received and of the receipts
// that the service acknowledged. The link `repeats` resends messages with unknown outcomes, `once` settles them.

import type { AcceptedMessage, AcceptedPart } from '../../src/smsc/accepted-messages.js'
import { wantsReceipt } from '../../src/smsc/receipts.js'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import type { Faults } from '../../src/smsc/smsc-options.js'
import { type ChaosCarrier, type Fragment, SHARED_FIELDS, type Taken } from './carrier.js'
import { Network } from './network.js'

const RECEIPT_DELAY_MS = 150
const REMEMBERED_MAX = 200_000
const CALM: Partial<Faults> = {
  throttle: 0,
  queueFull: 0,
  lose: 0,
  delayMs: 0,
  reorder: false,
  duplicateAnswers: false,
}

export class SmppCarrier implements ChaosCarrier {
  readonly taken: Taken[] = []
  /** Parts with acknowledged receipts. */
  readonly #receipted = new Set<AcceptedPart>()
  readonly #byPart = new Map<AcceptedPart, { taken: Taken; message: AcceptedMessage }>()
  #smsc!: Smsc
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
        onMessage: (message) => carrier.#take(message),
        onReceipted: (part) => carrier.#acknowledge(part),
      },
    )
    carrier.network = await Network.open(carrier.#smsc.port)
    return carrier
  }

  get fragments(): Fragment[] {
    return [...this.#receipted]
      .filter((part) => !this.#byPart.has(part))
      .map(({ from, to, text }) => ({ from, to, text: text ?? '' }))
  }

  /** The carrier also repeats responses and sends them out of order. */
  misbehave(): void {
    this.#smsc.change({ throttle: 10, queueFull: 5, lose: 5, delayMs: 200 })
    this.#smsc.change({ reorder: true, duplicateAnswers: true })
  }

  behave(): void {
    this.#smsc.change(CALM)
  }

  write(from: string, to: string, text: string): Promise<boolean> {
    return this.#smsc.sendInbound({ from, to, text })
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
      unknown: this.name === 'repeats' ? 'resend' : 'settle',
      ...SHARED_FIELDS,
    }
  }

  async close(): Promise<void> {
    await this.network.close()
    await this.#smsc.stop()
  }

  #take(message: AcceptedMessage): void {
    const { text, from, to, parts } = message
    const taken: Taken = {
      ...{ text: text ?? '', from, to, parts: parts.length },
      ...{ atMs: Date.now(), receipt: null },
    }
    this.taken.push(taken)
    for (const part of parts) this.#byPart.set(part, { taken, message })
    this.#review(taken, message)
  }

  #acknowledge(part: AcceptedPart): void {
    this.#receipted.add(part)
    const whole = this.#byPart.get(part)
    if (whole) this.#review(whole.taken, whole.message)
  }

  /** A message is delivered with its last part, and failed with the first part that failed. */
  #review(taken: Taken, { parts }: AcceptedMessage): void {
    const receipted = parts.filter((part) => this.#receipted.has(part))
    const missing = parts.filter((part) => !this.#receipted.has(part))
    if (receipted.some(({ state }) => state !== 'DELIVERED')) taken.receipt = 'FAILED'
    else if (receipted.length > 0 && !missing.some(wantsReceipt)) taken.receipt = 'DELIVERED'
  }
}
