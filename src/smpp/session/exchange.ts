// What leaves a session: the bytes and session events that are waiting to be picked up, and our requests with one
// outcome each.

import { type CommandName, responseOf } from '../pdu/commands.js'
import type { PduProblem } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import {
  type BodyOf,
  makeFailure,
  makePdu,
  NO_TLVS,
  type Pdu,
  type PduOf,
  type ResponsePdu,
} from '../pdu/pdu.js'
import { STATUS } from '../pdu/status.js'
import type { Tlv } from '../pdu/tlv.js'
import { type PendingRequest, PendingRequests } from './pending-requests.js'
import type { PeerAnswer, RequestOutcome, SessionEvent, WorkName } from './session-event.js'

export class Exchange<T> {
  readonly #pending: PendingRequests<T>
  #timeoutsInRow = 0
  #output: Buffer[] = []
  #sessionEvents: SessionEvent<T>[] = []

  constructor(lastSequence: number) {
    this.#pending = new PendingRequests(lastSequence)
  }

  takeOutput(): Buffer[] {
    const output = this.#output
    this.#output = []
    return output
  }

  takeSessionEvents(): SessionEvent<T>[] {
    const sessionEvents = this.#sessionEvents
    this.#sessionEvents = []
    return sessionEvents
  }

  /** Requests with work that have no response yet. */
  get workCount(): number {
    return this.#pending.workCount
  }

  /** Work that timed out since the last response to any. */
  get timeoutsInRow(): number {
    return this.#timeoutsInRow
  }

  get oldestSentAt(): number | null {
    return this.#pending.oldest()?.[1].sentAt ?? null
  }

  send(pdu: Pdu): void {
    this.#output.push(encodePdu(pdu))
  }

  /** Responds to work. An error response has no body. */
  answer<C extends WorkName>({ command, sequence }: PduOf<C>, answer: PeerAnswer<C>): void {
    const { status = STATUS.ESME_ROK.code, fields = {}, tlvs = NO_TLVS } = answer
    const response = responseOf(command)!
    if (status === STATUS.ESME_ROK.code) this.send(makePdu(response, sequence, fields, tlvs))
    else this.send(makeFailure(response, sequence, status, tlvs))
  }

  /** Refuses a request. A command without a response PDU gets a generic_nack. */
  refuse(command: CommandName | null, sequence: number, status: number): void {
    const response = (command && responseOf(command)) ?? 'generic_nack'
    this.send(makeFailure(response, sequence, status))
  }

  tell(sessionEvent: SessionEvent<T>): void {
    this.#sessionEvents.push(sessionEvent)
  }

  /** Sends a request and waits for its response. Throws before any change if it cannot be encoded. */
  ask<C extends CommandName>(
    command: C,
    fields: Partial<BodyOf<C>>,
    tlvs: readonly Tlv[],
    request: Omit<PendingRequest<T>, 'command'>,
  ): void {
    const sequence = this.#pending.nextSequence()
    this.send(makePdu(command, sequence, fields, tlvs) as Pdu)
    this.#pending.add(sequence, { command, sentAt: request.sentAt, work: request.work })
  }

  /**
   * Matches a response by its sequence number alone, because peers respond in any order. A response of another
   * kind does not count, and the request keeps waiting. Returns the request if it was the session's own.
   */
  takeAnswer(pdu: ResponsePdu): PendingRequest<T> | null {
    const { command, sequence } = pdu
    const request = this.#pending.get(sequence)
    const isNack = command === 'generic_nack'
    if (!request || (!isNack && responseOf(request.command) !== command)) {
      const late = request ? null : this.#pending.takeLate(sequence)
      this.tell(late ? { kind: 'late_answer', ...late, pdu } : { kind: 'stray_answer', pdu })
      return null
    }
    const { status } = pdu
    return this.#settle(sequence, isNack ? { kind: 'nacked', status } : { kind: 'answered', pdu })
  }

  /** A response that cannot be decoded leaves its request unknown. The same rules apply. */
  takeBrokenAnswer({ command, sequence }: PduProblem): PendingRequest<T> | null {
    const request = this.#pending.get(sequence)
    if (!request || responseOf(request.command) !== command) return null
    return this.#settle(sequence, { kind: 'unknown', reason: 'malformed' })
  }

  /** The only place where a request ends. Returns it if it was the session's own. */
  #settle(sequence: number, outcome: RequestOutcome): PendingRequest<T> | null {
    const request = this.#pending.get(sequence)
    if (!request) return null
    const { work } = request
    if (work && outcome.kind === 'unknown') this.#pending.giveUp(sequence, work.token)
    else this.#pending.remove(sequence)
    if (!work) return request
    const isTimeout = outcome.kind === 'unknown' && outcome.reason === 'timeout'
    this.#timeoutsInRow = isTimeout ? this.#timeoutsInRow + 1 : 0
    this.tell({ kind: 'outcome', token: work.token, outcome })
    return null
  }

  /** Ends requests that were sent at or before that time, and returns the session's own among them. */
  timeOut(sentAt: number): PendingRequest<T>[] {
    const own: PendingRequest<T>[] = []
    for (let oldest = this.#pending.oldest(); oldest; oldest = this.#pending.oldest()) {
      const [sequence, request] = oldest
      if (request.sentAt > sentAt) break
      const ended = this.#settle(sequence, { kind: 'unknown', reason: 'timeout' })
      if (ended) own.push(ended)
    }
    return own
  }

  settleAll(): void {
    for (let oldest = this.#pending.oldest(); oldest; oldest = this.#pending.oldest()) {
      this.#settle(oldest[0], { kind: 'unknown', reason: 'closed' })
    }
  }
}
