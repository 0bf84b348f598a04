// What our SMSC has accepted: every submit, and the messages joined from parts, in the order of completion. It stores
// only the latest.

import { Cache } from '../kit/cache.js'
import { numberOf } from '../smpp/address.js'
import type { MessageState } from '../smpp/message-state.js'
import type { SubmitPdu } from '../smpp/pdu/pdu.js'
import type { Tlv } from '../smpp/pdu/tlv.js'
import type { ReadMessage } from '../smpp/text/read-message.js'
import type { PartFacts } from '../smpp/text/user-data-header.js'
import type { AssignedId } from './message-ids.js'

/** One submit. */
export interface AcceptedPart {
  id: AssignedId
  /** The connection it arrived on, counted from 1, and its system id. */
  connection: number
  systemId: string
  from: string
  to: string
  /** Null if the bytes are not text. */
  text: string | null
  part: PartFacts | null
  dataCoding: number
  registeredDelivery: number
  validityPeriod: string
  tlvs: readonly Tlv[]
  acceptedAt: Date
  /** Its outcome, for receipts and queries. */
  state: MessageState
  error: number
  doneAt: Date | null
}

/** A message as a phone would show it. */
export interface AcceptedMessage {
  /** The ids from the responses, in the order of the parts. */
  ids: readonly string[]
  systemId: string
  from: string
  to: string
  /** Null if the bytes are not text. */
  text: string | null
  parts: readonly AcceptedPart[]
}

const UNFINISHED_MAX = 10_000
const NONE: readonly AcceptedPart[] = []

export class AcceptedMessages {
  readonly #max: number
  readonly #messages: AcceptedMessage[] = []
  readonly #byId: Cache<string, AcceptedPart>
  readonly #unfinished = new Map<string, readonly AcceptedPart[]>()

  constructor(max: number) {
    this.#max = max
    this.#byId = new Cache({ max })
  }

  get messages(): readonly AcceptedMessage[] {
    return this.#messages
  }

  /** Long messages with missing parts. */
  get unfinishedCount(): number {
    return this.#unfinished.size
  }

  find(id: string): AcceptedPart | undefined {
    return this.#byId.peek(id)
  }

  /** Returns the message if this part completes it. */
  add(part: AcceptedPart): AcceptedMessage | null {
    this.#byId.set(part.id.inAnswer, part, 0)
    const parts = this.#join(part)
    if (parts === null) return null
    const message = messageOf(parts)
    this.#messages.push(message)
    // Drops a quarter at a time, because removing one would move all others each time.
    if (this.#messages.length > this.#max) this.#messages.splice(0, Math.ceil(this.#max / 4))
    return message
  }

  /** A part that is submitted again, with another id, replaces the first. */
  #join(part: AcceptedPart): readonly AcceptedPart[] | null {
    if (part.part === null || part.part.total === 1) return [part]
    const { reference, total, sequence } = part.part
    const key = `${part.systemId} ${part.from} ${part.to} ${reference} ${total}`
    const others = (this.#unfinished.get(key) ?? NONE).filter(
      (other) => other.part!.sequence !== sequence,
    )
    const parts = [...others, part]
    if (parts.length === total) {
      this.#unfinished.delete(key)
      return parts.sort((a, b) => a.part!.sequence - b.part!.sequence)
    }
    this.#unfinished.set(key, parts)
    if (this.#unfinished.size > UNFINISHED_MAX) {
      for (const oldest of this.#unfinished.keys()) {
        this.#unfinished.delete(oldest)
        break
      }
    }
    return null
  }
}

export function acceptedPart(
  { body, tlvs }: SubmitPdu,
  { text, part }: ReadMessage,
  facts: Pick<AcceptedPart, 'id' | 'connection' | 'systemId' | 'acceptedAt'>,
): AcceptedPart {
  const { sourceAddrTon, sourceAddrNpi, sourceAddr } = body
  const { destAddrTon, destAddrNpi, destinationAddr } = body
  // Written field by field, because spreading is twenty times slower.
  return {
    id: facts.id,
    connection: facts.connection,
    systemId: facts.systemId,
    from: numberOf({ ton: sourceAddrTon, npi: sourceAddrNpi, digits: sourceAddr }),
    to: numberOf({ ton: destAddrTon, npi: destAddrNpi, digits: destinationAddr }),
    text,
    part,
    dataCoding: body.dataCoding,
    registeredDelivery: body.registeredDelivery,
    validityPeriod: 'validityPeriod' in body ? body.validityPeriod : '',
    // They are views into the socket's buffer.
    tlvs:
      tlvs.length === 0 ? tlvs : tlvs.map(({ tag, value }) => ({ tag, value: Buffer.from(value) })),
    acceptedAt: facts.acceptedAt,
    state: 'ENROUTE',
    error: 0,
    doneAt: null,
  }
}

function messageOf(parts: readonly AcceptedPart[]): AcceptedMessage {
  const { systemId, from, to } = parts[0]!
  if (parts.length === 1) {
    const { id, text } = parts[0]!
    return { ids: [id.inAnswer], systemId, from, to, text, parts }
  }
  const isText = parts.every(({ text }) => text !== null)
  const text = isText ? parts.map((part) => part.text).join('') : null
  return { ids: parts.map(({ id }) => id.inAnswer), systemId, from, to, text, parts }
}
