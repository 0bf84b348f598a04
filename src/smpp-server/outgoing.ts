// One leased delivery to a customer: the deliver_sm of one event, all over one bind, and their responses. It is
// delivered when every one was accepted.

import type { ClaimedDelivery } from '../events/queue/delivery-claim-queries.js'
import type { DeliveryOutcome, FinishedEvent } from '../events/queue/delivery-outcome-queries.js'
import { DAY_MS, HOUR_MS } from '../kit/clock.js'
import { idFloor } from '../kit/ids.js'
import { STATUS } from '../smpp/pdu/status.js'
import type { RequestOutcome } from '../smpp/session/session-event.js'
import type { DeliverSm } from './write-deliveries.js'

/** An event is offered for this long and then abandoned. */
const TRIED_MS = 3 * DAY_MS
const WAIT_MS = 5_000
const WAIT_MS_MAX = HOUR_MS
/** There was no response, or nobody to respond, so the next try comes soon. */
const SHORT_WAIT_MS = 1_000

/** The customer refuses these permanently. */
const PERMANENT: readonly number[] = [STATUS.ESME_RX_P_APPN.code, STATUS.ESME_RX_R_APPN.code]

type Result = 'taken' | 'refused' | 'rejected' | 'lost'

export class Outgoing {
  readonly delivery: ClaimedDelivery
  readonly accountId: string
  leaseUntil: Date
  readonly #pdus: readonly DeliverSm[]
  #sent = 0
  #unanswered = 0
  #result: Result = 'taken'

  constructor(
    accountId: string,
    delivery: ClaimedDelivery,
    pdus: readonly DeliverSm[],
    leaseUntil: Date,
  ) {
    this.accountId = accountId
    this.delivery = delivery
    this.#pdus = pdus
    this.leaseUntil = leaseUntil
  }

  /** The next one to send. Undefined: none is left, or one was refused. */
  get next(): DeliverSm | undefined {
    return this.#result === 'taken' ? this.#pdus[this.#sent] : undefined
  }

  get isDone(): boolean {
    return this.next === undefined && this.#unanswered === 0
  }

  noteSent(): void {
    this.#sent += 1
    this.#unanswered += 1
  }

  /** The bind ended before everything was sent. */
  noteLost(): void {
    this.#result = 'lost'
  }

  noteOutcome(outcome: RequestOutcome): void {
    this.#unanswered -= 1
    const result = resultOf(outcome)
    if (result !== 'taken') this.#result = result
  }

  /** The outcome of the delivery. */
  settle(now: Date): DeliveryOutcome {
    const { id, subscriberId, attempts } = this.delivery
    const isOld = id < idFloor('dlv', new Date(now.getTime() - TRIED_MS))
    const base = { id, subscriberId, leaseUntil: this.leaseUntil }
    if (this.#result === 'taken') return { ...base, state: 'delivered', dueAt: null }
    if (this.#result === 'rejected' || isOld) return { ...base, state: 'failed', dueAt: null }
    const waitMs = this.#result === 'lost' ? SHORT_WAIT_MS : waitOf(attempts)
    return { ...base, state: 'pending', dueAt: new Date(now.getTime() + waitMs) }
  }

  /** What releases the next event of the same message once this one is finished. */
  finishedEvent(outcome: DeliveryOutcome): FinishedEvent[] {
    const { subscriberId, messageId, sequence } = this.delivery
    if (outcome.state === 'pending' || messageId === null || sequence === null) return []
    return [{ subscriberId, messageId, sequence }]
  }
}

function resultOf(outcome: RequestOutcome): Result {
  if (outcome.kind === 'unknown') return outcome.reason === 'closed' ? 'lost' : 'refused'
  const status = outcome.kind === 'answered' ? outcome.pdu.status : outcome.status
  if (outcome.kind === 'answered' && status === STATUS.ESME_ROK.code) return 'taken'
  return PERMANENT.includes(status) ? 'rejected' : 'refused'
}

function waitOf(attempts: number): number {
  return Math.min(WAIT_MS * 2 ** Math.min(attempts, 20), WAIT_MS_MAX)
}
