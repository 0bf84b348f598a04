// Our own SMSC: it acts as the carrier at the other end of an SMPP link, for trying things without a carrier
// (`longcode smsc`), for tests, and for benchmarks. It can misbehave in the ways that carriers do. Nothing is durable:
// its messages are lost when it ends.

import type { Socket } from 'node:net'
import { Clock } from '../kit/clock.js'
import type { SubmitPdu } from '../smpp/pdu/pdu.js'
import { STATUS } from '../smpp/pdu/status.js'
import type { BindPdu } from '../smpp/session/session-event.js'
import { listenSmpp, type SmppListener } from '../smpp/sockets/listen-smpp.js'
import type { Trace } from '../smpp/sockets/trace.js'
import type { ReadMessage } from '../smpp/text/read-message.js'
import {
  type AcceptedMessage,
  AcceptedMessages,
  type AcceptedPart,
  acceptedPart,
} from './accepted-messages.js'
import { type RefusedSubmit, SmscConnection } from './connection.js'
import { Delayed } from './delayed.js'
import { type InboundText, inboundPdus } from './inbound.js'
import { MessageIds } from './message-ids.js'
import { Outbox, type SmscDelivery } from './outbox.js'
import { seededRandom } from './random.js'
import { receiptOf, wantsReceipt } from './receipts.js'
import { ReplyQueue } from './reply-queue.js'
import { type Faults, type SmscOptions, type SmscSettings, USUAL_SMSC } from './smsc-options.js'
import { DELIVERED, type End, SubmitValidator } from './validate-submit.js'

/** Observers. */
export interface SmscListener {
  /** Every submit that was accepted, before its response. */
  onPart?: (part: AcceptedPart) => void
  onRefused?: (refused: RefusedSubmit) => void
  onMessage?: (message: AcceptedMessage) => void
  /** Its receipt was acknowledged. */
  onReceipted?: (part: AcceptedPart) => void
  /** A sentence about a client that bound or disconnected. */
  onNote?: (sentence: string) => void
  trace?: Trace | null
}

export interface SmscCounts {
  /** All submit_sm and data_sm received, whatever their outcome. */
  submits: number
  refused: number
  /** Accepted without a response. */
  lost: number
  cut: number
  /** Receipts and inbound parts that were acknowledged. */
  acknowledged: number
  /** Deliveries that were refused, or never acknowledged despite repetitions. */
  undelivered: number
}

const CONNECTIONS_MAX = 1_000
const STOP_MS_MAX = 1_000
/** The outbox for the first client that binds. */
const NOBODY = ''

export async function startSmsc(
  options: SmscOptions = {},
  listener: SmscListener = {},
): Promise<Smsc> {
  const smsc = new Smsc({ ...USUAL_SMSC, ...options }, listener)
  await smsc.listen()
  return smsc
}

export class Smsc {
  readonly #settings: SmscSettings
  readonly #listener: SmscListener
  readonly #clock = new Clock()
  readonly #ids: MessageIds
  readonly #accepted: AcceptedMessages
  readonly #judge: SubmitValidator
  readonly #answers: ReplyQueue
  readonly #ending = new Delayed<{ part: AcceptedPart; end: End }>((item) => this.#end(item))
  readonly #connections = new Set<SmscConnection>()
  readonly #outboxes = new Map<string, Outbox>()
  readonly #counts: SmscCounts = {
    submits: 0,
    refused: 0,
    lost: 0,
    cut: 0,
    acknowledged: 0,
    undelivered: 0,
  }
  #faults: Faults
  #server: SmppListener | null = null
  #connectionCount = 0
  #lastSystemId: string | null = null
  readonly #references = new Map<string, number>()
  #isFrozen = false
  #replies = 0
  #inboundTimer: NodeJS.Timeout | null = null

  constructor(settings: SmscSettings, listener: SmscListener) {
    const random = seededRandom(settings.seed)
    this.#settings = settings
    this.#listener = listener
    this.#faults = settings
    this.#ids = new MessageIds(settings, this.#clock.nowMs())
    this.#accepted = new AcceptedMessages(settings.acceptedMax)
    this.#judge = new SubmitValidator(random, settings.receipts)
    this.#answers = new ReplyQueue(() => this.#faults, random)
  }

  async listen(): Promise<void> {
    const { host, port, tls, inboundEveryMs } = this.#settings
    this.#server = await listenSmpp({ host, port, tls }, (socket) => this.#connect(socket))
    if (inboundEveryMs === null) return
    this.#inboundTimer = setInterval(() => this.#reply(), inboundEveryMs)
  }

  get port(): number {
    return this.#server!.port
  }

  /** Messages in the order of their last part. Only the latest are stored. */
  get accepted(): readonly AcceptedMessage[] {
    return this.#accepted.messages
  }

  /** Long messages with missing parts. */
  get unfinishedCount(): number {
    return this.#accepted.unfinishedCount
  }

  get counts(): Readonly<SmscCounts> {
    return this.#counts
  }

  /** The clients bound now. */
  get binds(): { connection: number; systemId: string; as: string; peer: string }[] {
    return [...this.#connections].flatMap(({ number, systemId, as, peer }) =>
      as === null ? [] : [{ connection: number, systemId, as, peer }],
    )
  }

  /** Applies from now on. */
  change(faults: Partial<Faults>): void {
    this.#faults = { ...this.#faults, ...faults }
  }

  /** Cuts every connection without an unbind. New ones are accepted. */
  cut(): void {
    for (const connection of [...this.#connections]) connection.cut()
  }

  /** Reads and writes nothing more, with every socket open, until it is unfrozen. */
  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen
    for (const connection of this.#connections) {
      if (isFrozen) connection.freeze()
      else connection.unfreeze()
    }
  }

  /**
   * Sends a message from a phone, which waits until a client that can receive it is bound. Resolves when every part has
   * been acknowledged, or to false if one was abandoned.
   */
  async sendInbound(message: InboundText): Promise<boolean> {
    const pdus = inboundPdus(message, this.#settings.codings, this.#nextReference(message.from))
    const outbox = this.#outboxOf(message.systemId ?? this.#lastSystemId ?? NOBODY)
    const ends = pdus.map(
      (pdu) =>
        new Promise<boolean>((resolve) =>
          this.#deliver(outbox, { ...pdu, attempts: 0, onEnd: resolve }),
        ),
    )
    return (await Promise.all(ends)).every((isAcknowledged) => isAcknowledged)
  }

  /** Each phone counts its own messages. A number of 8 bits that all share would soon repeat. */
  #nextReference(phone: string): number {
    const reference = ((this.#references.get(phone) ?? 0) + 1) & 0xffff
    this.#references.set(phone, reference)
    return reference
  }

  /** Messages that an earlier SMSC accepted without a final receipt: a client that remembers them gets the receipt here. */
  resume(part: AcceptedPart): void {
    this.#accepted.add(part)
    this.#settle(part, DELIVERED)
  }

  /** Unbinds all clients, and waits up to a second for them. */
  async stop(): Promise<void> {
    if (this.#inboundTimer) clearInterval(this.#inboundTimer)
    this.#ending.stop()
    this.#answers.stop()
    for (const outbox of this.#outboxes.values()) outbox.stop()
    for (const connection of this.#connections) connection.unbind()
    const started = this.#clock.nowMs()
    while (this.#connections.size > 0 && this.#clock.nowMs() - started < STOP_MS_MAX) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await this.#server?.close()
  }

  #connect(socket: Socket): void {
    if (this.#connections.size >= CONNECTIONS_MAX) {
      socket.destroy()
      return
    }
    this.#connectionCount += 1
    const connection = new SmscConnection(socket, this.#connectionCount, {
      settings: this.#settings,
      faults: () => this.#faults,
      judge: this.#judge,
      answers: this.#answers,
      trace: this.#listener.trace ?? null,
      refusalOf: (pdu) => this.#refusalOf(pdu),
      outboxOf: (systemId) => this.#outboxOf(systemId),
      take: (from, pdu, read) => this.#take(from, pdu, read),
      settle: (part, end) => this.#settle(part, end),
      find: (id) => this.#accepted.find(id),
      onRefused: (refused) => this.#listener.onRefused?.(refused),
      onBound: (bound) => this.#bound(bound),
      onClosed: (closed, detail) => this.#closed(closed, detail),
      count: (what) => {
        this.#counts[what] += 1
      },
    })
    this.#connections.add(connection)
    if (this.#isFrozen) connection.freeze()
  }

  #refusalOf({ body }: BindPdu): number | null {
    const { systemId, password } = this.#settings
    if (systemId !== null && body.systemId !== systemId) return STATUS.ESME_RINVSYSID.code
    return password !== null && body.password !== password ? STATUS.ESME_RINVPASWD.code : null
  }

  #outboxOf(systemId: string): Outbox {
    const outbox = this.#outboxes.get(systemId) ?? new Outbox(this.#settings.redeliverMs)
    this.#outboxes.set(systemId, outbox)
    return outbox
  }

  /** Messages from before the first bind go to the first client that binds. */
  #bound(connection: SmscConnection): void {
    const { systemId, as, peer } = connection
    this.#lastSystemId = systemId
    this.#listener.onNote?.(`${systemId} bound as ${as?.slice('bind_'.length)} from ${peer}.`)
    const outbox = this.#outboxOf(systemId)
    for (const delivery of this.#outboxes.get(NOBODY)?.takeAll() ?? []) outbox.push(delivery)
  }

  #closed(connection: SmscConnection, detail: string): void {
    this.#connections.delete(connection)
    const { systemId, as, peer } = connection
    this.#listener.onNote?.(`${as ? systemId : 'A connection'} from ${peer} has ended: ${detail}.`)
  }

  #take(connection: SmscConnection, pdu: SubmitPdu, read: ReadMessage): AcceptedPart {
    const taken = acceptedPart(pdu, read, {
      id: this.#ids.give(),
      connection: connection.number,
      systemId: connection.systemId,
      acceptedAt: this.#clock.now(),
    })
    const message = this.#accepted.add(taken)
    this.#listener.onPart?.(taken)
    if (message) this.#listener.onMessage?.(message)
    return taken
  }

  #settle(part: AcceptedPart, end: End | null): void {
    if (end) this.#ending.add({ part, end }, this.#settings.receiptDelayMs)
  }

  #end({ part, end }: { part: AcceptedPart; end: End }): void {
    // It may have been canceled in the meantime.
    if (part.state === 'ENROUTE') {
      part.state = end.state
      part.error = end.error
    }
    part.doneAt = this.#clock.now()
    if (!wantsReceipt(part)) return
    const receipt = receiptOf(part, this.#settings)
    const onEnd = (isAcknowledged: boolean) => {
      if (isAcknowledged) this.#listener.onReceipted?.(part)
    }
    this.#deliver(this.#outboxOf(part.systemId), { ...receipt, attempts: 0, onEnd })
  }

  #deliver(outbox: Outbox, delivery: SmscDelivery): void {
    const { onEnd } = delivery
    outbox.push({
      ...delivery,
      onEnd: (isAcknowledged) => {
        this.#counts[isAcknowledged ? 'acknowledged' : 'undelivered'] += 1
        onEnd?.(isAcknowledged)
      },
    })
  }

  /** The recipient of the last message replies. */
  #reply(): void {
    const last = this.#accepted.messages.at(-1)
    if (!last) return
    this.#replies += 1
    const { systemId } = last
    const message = { from: last.to, to: last.from, text: `Reply ${this.#replies}`, systemId }
    void this.sendInbound(message) // counted when it ends
  }
}
