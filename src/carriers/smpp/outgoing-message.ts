// One message on its way over a link, in one or more parts: which parts were sent, their responses, and the outcome
// of the whole message. It is settled once. A response after an `unknown` outcome is a late answer. Pure.
//
//   waiting ──left──▶ out ──▶ taken
//      ▲               ├────▶ (the whole has failed)
//      └── not taken ──┤
//                      └────▶ lost ──late answer──▶ taken …

import type {
  Failed,
  LateAnswer,
  Network,
  Submission,
  SubmitAnswer,
} from '../../messages/carrier-port.js'
import type { ResponsePdu } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'
import { USUAL_RECOVERY } from '../../smpp/session/rate-governor.js'
import { statusMeaning } from '../smpp-errors.js'
import type { SubmitPart } from './compose-submits.js'
import { answerId } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'
import { readNetwork } from './tlv-values.js'

export interface OutgoingPart extends SubmitPart {
  message: OutgoingMessage
  index: number
}

/** The outcome of a part. */
export type PartOutcome =
  | { kind: 'taken'; carrierId: string; network: Network | null | undefined }
  /** The carrier does not have it. This is the outcome of the whole message if the carrier has no part of it. */
  | { kind: 'not_taken'; answer: Extract<SubmitAnswer, { kind: 'slow_down' | 'down' }> }
  | ({ kind: 'failed'; errorCode: number; carrierCode: string } & Pick<Failed, 'concerns'>)
  | { kind: 'unknown'; detail: string }

export type Ruling =
  | { kind: 'answer'; answer: SubmitAnswer }
  | { kind: 'late'; answer: LateAnswer['answer'] }
  | null

type PartState = 'waiting' | 'out' | 'taken' | 'lost'

export class OutgoingMessage {
  readonly link: string
  readonly submission: Submission
  readonly queuedAtMs: number
  readonly #parts: OutgoingPart[]
  readonly #states: PartState[]
  readonly #carrierIds: string[]
  #network: Network | null | undefined
  #waiting: number
  #out = 0
  #taken = 0
  #lost = 0
  #setback: Extract<PartOutcome, { kind: 'not_taken' }>['answer'] | null = null
  #answered: SubmitAnswer['kind'] | null = null

  constructor(
    link: string,
    submission: Submission,
    parts: readonly SubmitPart[],
    queuedAtMs: number,
  ) {
    this.link = link
    this.submission = submission
    this.queuedAtMs = queuedAtMs
    this.#parts = parts.map(({ fields, tlvs }, index) => ({ fields, tlvs, message: this, index }))
    this.#states = parts.map(() => 'waiting')
    this.#carrierIds = parts.map(() => '')
    this.#waiting = parts.length
  }

  get #isAnswered(): boolean {
    return this.#answered !== null
  }

  /** Whether parts of it are still to be sent. */
  get isWaiting(): boolean {
    return this.#waiting > 0 && !this.#isAnswered
  }

  /** Whether any part of it was sent and not refused. */
  get hasLeft(): boolean {
    return this.#out + this.#taken + this.#lost > 0
  }

  /** Its permit has expired. Once some of it was sent, the rest follows. */
  isTooLate(nowMs: number): boolean {
    const { submitBy } = this.submission
    return submitBy != null && nowMs > submitBy.getTime() && !this.hasLeft
  }

  /**
   * The next part to send. After a setback, the rest waits for pending parts, because perhaps nothing was
   * accepted.
   */
  next(): OutgoingPart | null {
    if (!this.isWaiting || (this.#setback && this.#out > 0)) return null
    return this.#parts[this.#states.indexOf('waiting')]!
  }

  left({ index }: OutgoingPart): void {
    this.#states[index] = 'out'
    this.#waiting -= 1
    this.#out += 1
    this.#setback = null
  }

  /** The outcome of a part that was sent, or a late answer for one that was lost. */
  settle({ index }: OutgoingPart, outcome: PartOutcome): Ruling {
    if (this.#states[index] === 'lost') this.#lost -= 1
    else this.#out -= 1
    switch (outcome.kind) {
      case 'taken':
        this.#states[index] = 'taken'
        this.#carrierIds[index] = outcome.carrierId
        this.#network ??= outcome.network
        this.#taken += 1
        break
      case 'not_taken':
        this.#states[index] = 'waiting'
        this.#waiting += 1
        this.#setback = outcome.answer
        break
      case 'unknown':
        this.#states[index] = 'lost'
        this.#lost += 1
        return this.#answer({ kind: 'unknown', detail: outcome.detail, link: this.link })
      case 'failed': {
        const { errorCode, carrierCode, concerns } = outcome
        // With some parts accepted, it can neither use another link nor wait, so the refusal concerns this message.
        const about = concerns && !this.hasLeft ? { concerns } : {}
        return this.#answer({ kind: 'failed', errorCode, carrierCode, ...about })
      }
    }
    return this.#ruling()
  }

  /** Its time in the link is over: the dispatcher no longer waits. */
  giveUp(
    detail: string,
    answer: Extract<SubmitAnswer, { kind: 'slow_down' | 'down' | 'window_missed' }>,
  ): Ruling {
    const unknown: SubmitAnswer = { kind: 'unknown', detail, link: this.link }
    return this.#answer(this.hasLeft ? unknown : answer)
  }

  #ruling(): Ruling {
    if (this.#taken === this.#parts.length) return this.#answer(this.#sent())
    if (this.#out > 0 || this.#lost > 0 || this.#taken > 0) return null
    return this.#setback && this.#answer(this.#setback)
  }

  #sent(): SubmitAnswer {
    const sent = { kind: 'sent' as const, link: this.link, carrierIds: this.#presentIds() }
    return this.#network === undefined ? sent : { ...sent, network: this.#network }
  }

  /** Some carriers return none if no receipt was requested. */
  #presentIds(): readonly string[] {
    return this.#carrierIds.includes('')
      ? this.#carrierIds.filter((id) => id !== '')
      : this.#carrierIds
  }

  /** After `unknown`, one more answer is possible. After any other, none is. */
  #answer(answer: SubmitAnswer): Ruling {
    if (this.#answered === null) {
      this.#answered = answer.kind
      return { kind: 'answer', answer }
    }
    if (this.#answered !== 'unknown' || answer.kind === 'unknown') return null
    this.#answered = answer.kind
    // A message that was handed over counts as an attempt.
    const isPutBack = answer.kind === 'down' || answer.kind === 'window_missed'
    return { kind: 'late', answer: isPutBack ? { kind: 'slow_down' } : answer }
  }
}

const UNKNOWN_DETAILS = {
  timeout: 'The carrier did not respond in time',
  closed: 'The connection was lost before the carrier answered',
  malformed: 'The answer of the carrier could not be read',
} as const

export function unknownOutcome(reason: keyof typeof UNKNOWN_DETAILS): PartOutcome {
  return { kind: 'unknown', detail: UNKNOWN_DETAILS[reason] }
}

export function answeredOutcome(pdu: ResponsePdu, settings: SmppLinkSettings): PartOutcome {
  if (pdu.command === 'generic_nack') return nackedOutcome(pdu.status, settings)
  const meaning = statusMeaning(pdu.status, settings.carrierCodes)
  switch (meaning.kind) {
    case 'sent':
      return {
        kind: 'taken',
        carrierId: idOf(pdu, settings),
        network: readNetwork(pdu.tlvs, settings.answerNetwork),
      }
    case 'failed':
      return meaning
    default:
      return notTaken(meaning.kind, pdu.status, settings)
  }
}

/** The peer did not understand it, and so did not accept it. */
export function nackedOutcome(status: number, settings: SmppLinkSettings): PartOutcome {
  const meaning = statusMeaning(status, settings.carrierCodes)
  if (meaning.kind === 'failed') return meaning
  if (meaning.kind === 'sent') {
    return { kind: 'failed', errorCode: 1375, carrierCode: 'generic_nack', concerns: 'link' }
  }
  return notTaken(meaning.kind, status, settings)
}

/** When the carrier throttles, the link pauses briefly, and so may the message. */
function notTaken(
  kind: 'slow_down' | 'down',
  status: number,
  settings: SmppLinkSettings,
): PartOutcome {
  if (!isThrottle(status, settings)) return { kind: 'not_taken', answer: { kind } }
  const answer = { kind: 'slow_down' as const, retryAfterMs: USUAL_RECOVERY.pauseMs }
  return { kind: 'not_taken', answer }
}

/** Whether the status means that messages come too fast. */
export function isThrottle(status: number, { carrierCodes }: SmppLinkSettings): boolean {
  const own = carrierCodes.statuses?.get(status)
  if (own !== undefined) return own === 'slow_down'
  return status === STATUS.ESME_RTHROTTLED.code || status === STATUS.ESME_RMSGQFUL.code
}

function idOf({ body }: ResponsePdu, settings: SmppLinkSettings): string {
  return body && 'messageId' in body ? answerId(body.messageId, settings) : ''
}
