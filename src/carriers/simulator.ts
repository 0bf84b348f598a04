// The carriers that need no connection: the sandbox simulator, where the recipient's number decides the outcome,
// and the absent carrier.

import type { Log } from '../kit/log.js'
import {
  type Carrier,
  type CarrierListener,
  type Network,
  permitFor,
  type Receipt,
  type Submission,
  type SubmitAnswer,
} from '../messages/carrier-port.js'
import type { MessageKey } from '../messages/message.js'

const NAME = 'simulator'
const SUBMIT_MS = 5

/** The last digit selects the network: 0 to 3 AT&T, 4 to 6 T-Mobile, 7 to 9 Verizon. */
export function networkOf(to: string): Network {
  const digit = to.charCodeAt(to.length - 1) - 48
  if (digit <= 3) return 'att'
  return digit <= 6 ? 'tmo' : 'vzw'
}

export interface Simulator extends Carrier {
  /** Sends the receipts of messages that were accepted before the process last stopped. */
  resume: (submissions: readonly Pick<Submission, 'accountId' | 'id' | 'to'>[]) => void
}

export function createSimulator(log: Log): Simulator {
  const receipts = new SimulatedReceipts(log)
  return {
    name: NAME,
    isSimulated: true,
    networkOf,
    submit: async (submissions) => {
      const permits = await Promise.all(submissions.map((one) => permitFor(one, NAME)))
      await new Promise<void>((resolve) => setTimeout(resolve, SUBMIT_MS))
      const sent: Receipt[][] = []
      const answers = submissions.map((submission, i): SubmitAnswer => {
        if (permits[i] === null) return { kind: 'window_missed' }
        const fate = behaviourOf(submission.to)(submission.attempt)
        sent.push(receiptsOf(submission, fate.receipts))
        return fate.answer
      })
      receipts.send(sent)
      return answers
    },
    resume: (submissions) => {
      receipts.send(
        submissions.map((s) => receiptsOf(s, behaviourOf(s.to)(ANY_LATER_ATTEMPT).receipts)),
      )
    },
    start: async (listener) => receipts.start(listener),
    stop: () => receipts.stop(),
  }
}

const ANY_LATER_ATTEMPT = 99

function receiptsOf(
  { accountId, id }: MessageKey,
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[],
): Receipt[] {
  return receipts.map((receipt) => ({ link: NAME, of: { accountId, id }, ...receipt }))
}

const RECEIPT_MS = 50
const REPEAT_MS = 500
const REPEAT_MS_MAX = 30_000
/** The maximum number of messages whose receipts wait for a retry. Others wait for the next start. */
const REPEATED_MAX = 100_000

/** The remaining receipts of a message, in order. Never empty. */
type Told = readonly Receipt[]

/**
 * Like a real carrier, it repeats an unacknowledged receipt with backoff and sends the receipts of one message in
 * order: the next leaves when the previous one is stored.
 */
export class SimulatedReceipts {
  readonly #log: Log
  readonly #waiting = new Map<NodeJS.Timeout, () => Promise<void>>()
  readonly #underWay = new Set<Promise<void>>()
  #listener: CarrierListener | null = null
  #isStopping = false
  #repeated = 0

  constructor(log: Log) {
    this.#log = log
  }

  start(listener: CarrierListener): void {
    this.#listener = listener
    this.#isStopping = false
  }

  /** The receipts to send for each message, possibly none. */
  send(messages: readonly Told[]): void {
    const told = messages.filter(({ length }) => length > 0)
    if (told.length > 0) this.#later(RECEIPT_MS, () => this.#tell(told, 0))
  }

  /** Sends waiting receipts now, once. A receiver that does not store them gets them at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const waiting = [...this.#waiting]
    for (const [timer, tell] of waiting) {
      clearTimeout(timer)
      this.#waiting.delete(timer)
      this.#run(tell)
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #tell(messages: readonly Told[], failures: number): Promise<void> {
    const listener = this.#listener
    if (!listener) return
    const rest: Told[] = []
    const lost: Told[] = []
    let reason: unknown
    const tellOne = async (told: Told) => {
      try {
        await listener.receipt(told[0]!)
        if (told.length > 1) rest.push(told.slice(1))
      } catch (error) {
        lost.push(told)
        reason = error
      }
    }
    await Promise.all(messages.map(tellOne))
    this.send(rest)
    if (lost.length > 0) this.#repeat(lost, failures + 1, reason)
  }

  #repeat(lost: readonly Told[], failures: number, reason: unknown): void {
    if (this.#isStopping) return
    const kept = lost.slice(0, REPEATED_MAX - this.#repeated)
    const delayMs = Math.min(REPEAT_MS_MAX, REPEAT_MS * 2 ** (failures - 1))
    const counts = { repeated: kept.length, forgotten: lost.length - kept.length }
    this.#log.warn({ err: reason, ...counts, delayMs }, 'receipts were not kept: they come again')
    if (kept.length === 0) return
    this.#repeated += kept.length
    this.#later(delayMs, () => {
      this.#repeated -= kept.length
      return this.#tell(kept, failures)
    })
  }

  #later(ms: number, tell: () => Promise<void>): void {
    if (this.#isStopping) {
      this.#run(tell)
      return
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      this.#run(tell)
    }, ms)
    this.#waiting.set(timer, tell)
  }

  #run(tell: () => Promise<void>): void {
    const running = tell().finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
  }
}

type Behaviour = (attempt: number) => {
  answer: Extract<SubmitAnswer, { kind: 'sent' | 'slow_down' | 'failed' }>
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[]
}

const SENT = { kind: 'sent' } as const
const SLOW_DOWN = { kind: 'slow_down' } as const
const DELIVERED = { status: 'DELIVERED', errorCode: null } as const
const READ = { status: 'READ', errorCode: null } as const

const delivers: Behaviour = () => ({ answer: SENT, receipts: [DELIVERED] })
const fails =
  (errorCode: number): Behaviour =>
  () => ({ answer: { kind: 'failed', errorCode }, receipts: [] })

/**
 * Recipients in 555-01xx are magic: their last four digits decide what happens (decisions.md, Sandbox). Every other number
 * accepts and delivers its message. The simulator and our SMSC share this table.
 */
const MAGIC: Record<string, Behaviour> = {
  '0110': fails(1350),
  '0120': fails(1360),
  '0130': fails(1320),
  '0140': (attempt) => (attempt <= 2 ? { answer: SLOW_DOWN, receipts: [] } : delivers(attempt)),
  '0150': () => ({ answer: SENT, receipts: [] }),
  '0160': () => ({ answer: SLOW_DOWN, receipts: [] }),
  '0170': () => ({ answer: SENT, receipts: [DELIVERED, READ] }),
  '0180': fails(1370),
}

/** Null: not magic. The message is accepted and delivered. */
export function magicOf(to: string): Behaviour | null {
  return to.slice(5, 10) === '55501' ? (MAGIC[to.slice(-4)] ?? null) : null
}

function behaviourOf(to: string): Behaviour {
  return magicOf(to) ?? delivers
}

/**
 * The carrier of a production service without a link. Sends are refused, so nothing new arrives here. Messages
 * queued before wait, and are refunded when they expire.
 */
export function createNoCarrier(): Carrier {
  return {
    name: 'none',
    isAbsent: true,
    networkOf: () => null,
    isUp: () => false,
    submit: async (submissions) => submissions.map(() => ({ kind: 'down' })),
    start: async () => {},
    stop: async () => {},
  }
}
