// One connection to our SMSC, from the bind to the end: its credentials, its submits, and its deliveries.

import type { Socket } from 'node:net'
import { elapsedMs } from '../kit/clock.js'
import { numberOf } from '../smpp/address.js'
import { numberOfState } from '../smpp/message-state.js'
import { encodePdu } from '../smpp/pdu/encode.js'
import { makePdu, type PduOf, type SubmitPdu } from '../smpp/pdu/pdu.js'
import { STATUS } from '../smpp/pdu/status.js'
import type { BindName, BindPdu, SessionEvent, WorkPdu } from '../smpp/session/session-event.js'
import { SmppSocket } from '../smpp/sockets/smpp-socket.js'
import type { Trace } from '../smpp/sockets/trace.js'
import { type ReadMessage, readMessage } from '../smpp/text/read-message.js'
import { absoluteTime } from '../smpp/time.js'
import type { AcceptedPart } from './accepted-messages.js'
import type { DeliveryReceiver, Outbox, SmscDelivery } from './outbox.js'
import type { PlannedAnswer, ReplyQueue } from './reply-queue.js'
import type { Faults, SmscSettings } from './smsc-options.js'
import type { End, SubmitValidator } from './validate-submit.js'

/** A submit that was not accepted, and the status of its response. */
export interface RefusedSubmit {
  from: string
  to: string
  /** Null if the bytes are not text. */
  text: string | null
  status: number
}

/** What all connections of one SMSC share. */
export interface SmscConnectionDeps {
  settings: SmscSettings
  /** The faults can change at any time. */
  faults: () => Readonly<Faults>
  judge: SubmitValidator
  answers: ReplyQueue
  trace: Trace | null
  /** The status of a refused bind, or null if it is accepted. */
  refusalOf: (pdu: BindPdu) => number | null
  outboxOf: (systemId: string) => Outbox
  take: (connection: SmscConnection, pdu: SubmitPdu, read: ReadMessage) => AcceptedPart
  /** Reports the later outcome. */
  settle: (part: AcceptedPart, end: End | null) => void
  find: (id: string) => AcceptedPart | undefined
  onRefused: (refused: RefusedSubmit) => void
  onBound: (connection: SmscConnection) => void
  onClosed: (connection: SmscConnection, detail: string) => void
  count: (what: 'submits' | 'refused' | 'lost' | 'cut') => void
}

const SYSTEM_ID = 'longcode-smsc'
const OK = STATUS.ESME_ROK.code

export class SmscConnection implements DeliveryReceiver {
  readonly number: number
  readonly #socket: Socket
  readonly #smpp: SmppSocket<SmscDelivery>
  readonly #deps: SmscConnectionDeps
  #systemId = ''
  #as: BindName | null = null
  #outbox: Outbox | null = null
  #submits = 0
  #isFrozen = false

  constructor(socket: Socket, number: number, deps: SmscConnectionDeps) {
    this.number = number
    this.#socket = socket
    this.#deps = deps
    this.#smpp = new SmppSocket<SmscDelivery>(
      socket,
      {
        side: 'smsc',
        window: deps.settings.window,
        responseTimeoutMs: 10_000,
        enquireLinkMs: 60_000,
        bindTimeoutMs: 10_000,
        unansweredMax: 10_000,
      },
      {
        onSessionEvent: (sessionEvent) => this.#handle(sessionEvent),
        onDrain: () => this.#outbox?.flush(),
        trace: deps.trace,
      },
    )
  }

  get systemId(): string {
    return this.#systemId
  }

  /** Null before the bind. */
  get as(): BindName | null {
    return this.#as
  }

  get peer(): string {
    return this.#smpp.peer
  }

  get freeSlots(): number {
    return this.#isFrozen ? 0 : this.#smpp.freeSlots
  }

  deliver(delivery: SmscDelivery): boolean {
    return this.#smpp.request('deliver_sm', delivery.fields, delivery.tlvs, delivery)
  }

  /** Without an unbind, as if the cable were pulled. */
  cut(): void {
    this.#deps.count('cut')
    this.#isFrozen = true
    if (!this.#deps.settings.tls) this.#socket.resetAndDestroy()
    this.#smpp.destroy('The SMSC cut the connection')
  }

  /** The socket stays open, but nothing more is read or written. */
  freeze(): void {
    this.#isFrozen = true
    this.#socket.pause()
  }

  unfreeze(): void {
    this.#isFrozen = false
    this.#socket.resume()
    this.#outbox?.flush()
  }

  unbind(): void {
    this.#smpp.unbind()
  }

  answer({ pdu, status, messageId }: PlannedAnswer): void {
    if (this.#isFrozen) return
    this.#smpp.respond(pdu, { status, fields: status === OK ? { messageId } : {} })
    if (status !== OK || !this.#deps.faults().duplicateAnswers || !this.#socket.writable) return
    // The session responds only once, so the second response bypasses it.
    const command = pdu.command === 'submit_sm' ? 'submit_sm_resp' : 'data_sm_resp'
    this.#socket.write(encodePdu(makePdu(command, pdu.sequence, { messageId })))
  }

  #handle(sessionEvent: SessionEvent<SmscDelivery>): void {
    switch (sessionEvent.kind) {
      case 'bind_requested':
        this.#takeBind(sessionEvent.pdu)
        break
      case 'request':
        if (!this.#isFrozen) this.#takeRequest(sessionEvent.pdu)
        break
      case 'outcome':
        this.#outbox?.end(sessionEvent.token, sessionEvent.outcome)
        break
      case 'closed':
        this.#outbox?.removeReceiver(this)
        this.#deps.onClosed(this, sessionEvent.detail)
        break
    }
  }

  #takeBind(pdu: BindPdu): void {
    if (this.#isFrozen) return
    const refusal = this.#deps.refusalOf(pdu)
    if (refusal !== null) {
      this.#smpp.refuseBind(pdu, refusal)
      return
    }
    this.#systemId = pdu.body.systemId
    this.#as = pdu.command
    this.#outbox = this.#deps.outboxOf(this.#systemId)
    this.#smpp.acceptBind(pdu, SYSTEM_ID)
    this.#deps.onBound(this)
    if (pdu.command !== 'bind_transmitter') this.#outbox.addReceiver(this)
  }

  #takeRequest(pdu: WorkPdu): void {
    switch (pdu.command) {
      case 'submit_sm':
      case 'data_sm':
        this.#takeSubmit(pdu)
        break
      case 'query_sm':
        this.#answerQuery(pdu)
        break
      case 'cancel_sm':
        this.#cancel(pdu)
        break
      default:
        this.#smpp.respond(pdu, { status: STATUS.ESME_RREPLACEFAIL.code })
    }
  }

  #takeSubmit(pdu: SubmitPdu): void {
    const { judge, answers, count, settings } = this.#deps
    const faults = this.#deps.faults()
    count('submits')
    this.#submits += 1
    const read = readMessage(pdu, settings.codings)
    const { from, to } = numbersOf(pdu)
    const fate = judge.judge(to, read.text, faults, elapsedMs())
    if (fate.kind === 'refused') {
      count('refused')
      this.#deps.onRefused({ from, to, text: read.text, status: fate.status })
      answers.plan({ connection: this, pdu, status: fate.status, messageId: '' })
    } else {
      const part = this.#deps.take(this, pdu, read)
      if (fate.isLost) this.#lose(pdu)
      else answers.plan({ connection: this, pdu, status: OK, messageId: part.id.inAnswer })
      this.#deps.settle(part, fate.end)
    }
    const { killEvery, freezeAfter } = faults
    if (killEvery !== null && this.#submits >= killEvery) this.cut()
    else if (freezeAfter !== null && this.#submits >= freezeAfter) this.freeze()
  }

  #lose(pdu: SubmitPdu): void {
    this.#deps.count('lost')
    this.#smpp.discard(pdu)
  }

  #answerQuery(pdu: PduOf<'query_sm'>): void {
    const part = this.#deps.find(pdu.body.messageId)
    if (!part) {
      this.#smpp.respond(pdu, { status: STATUS.ESME_RQUERYFAIL.code })
      return
    }
    const { state, doneAt, error } = part
    this.#smpp.respond(pdu, {
      fields: {
        messageId: pdu.body.messageId,
        finalDate: doneAt ? absoluteTime(doneAt) : '',
        messageState: numberOfState(state),
        errorCode: error,
      },
    })
  }

  #cancel(pdu: PduOf<'cancel_sm'>): void {
    const part = this.#deps.find(pdu.body.messageId)
    if (part?.state !== 'ENROUTE') {
      this.#smpp.respond(pdu, { status: STATUS.ESME_RCANCELFAIL.code })
      return
    }
    part.state = 'DELETED'
    this.#smpp.respond(pdu, {})
  }
}

function numbersOf({ body }: SubmitPdu): { from: string; to: string } {
  const { sourceAddrTon, sourceAddrNpi, sourceAddr } = body
  const { destAddrTon, destAddrNpi, destinationAddr } = body
  return {
    from: numberOf({ ton: sourceAddrTon, npi: sourceAddrNpi, digits: sourceAddr }),
    to: numberOf({ ton: destAddrTon, npi: destAddrNpi, digits: destinationAddr }),
  }
}
