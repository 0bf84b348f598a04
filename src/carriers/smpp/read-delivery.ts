// Reads a carrier's deliver_sm for the port: a receipt, or a message from a phone. Pure. Anything else is
// acknowledged as well, because otherwise the carrier would redeliver it for days.

import { createHash } from 'node:crypto'
import { Cache } from '../../kit/cache.js'
import type { Log } from '../../kit/log.js'
import type { CarrierListener, Inbound, Receipt, ReceiptClue } from '../../messages/carrier-port.js'
import { numberOf } from '../../smpp/address.js'
import type { PduOf } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'
import {
  isIntermediate,
  isReceipt,
  readReceipt,
  type SmppReceipt,
  TYPE_BITS,
} from '../../smpp/receipt.js'
import { idCandidates, normalId } from '../../smpp/receipt-ids.js'
import { messageBytes, readMessage } from '../../smpp/text/read-message.js'
import { receiptMeaning } from '../smpp-errors.js'
import type { LinkBind } from './link-bind.js'
import type { DeliveryKind, LinkMetrics } from './link-metrics.js'
import type { SmppLinkSettings } from './smpp-settings.js'
import { readNetwork, readTlvText } from './tlv-values.js'

export type DeliveryPdu = PduOf<'deliver_sm' | 'data_sm'>

export type CarrierDelivery =
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'inbound'; inbound: Inbound }
  /** Nothing to store: the message is in progress, or the bytes cannot be decoded. */
  | { kind: 'intermediate' | 'unreadable' | 'acknowledgement'; detail: string }

const FINGERPRINT_CHARS = 27

/** `connection`: the bind it arrived on, for carriers that send no IDs. */
export function readDelivery(
  pdu: DeliveryPdu,
  settings: SmppLinkSettings,
  connection: string,
): CarrierDelivery {
  if (isReceipt(pdu)) return receiptOf(pdu, settings)
  // Acknowledgments by a phone's user, a type that no network here has.
  if ((pdu.body.esmClass & TYPE_BITS) !== 0) {
    return { kind: 'acknowledgement', detail: `esm_class ${pdu.body.esmClass}` }
  }
  return inboundOf(pdu, settings, connection)
}

function receiptOf(pdu: DeliveryPdu, settings: SmppLinkSettings): CarrierDelivery {
  const { name: link, carrierCodes, receiptUtcOffsetMinutes } = settings
  const receipt = readReceipt(pdu, receiptUtcOffsetMinutes)
  const carrierIds = receiptIds(receipt.writtenIds, settings)
  if (carrierIds.length === 0) {
    return { kind: 'unreadable', detail: 'A receipt that names no message' }
  }
  if (receipt.state === null) {
    return { kind: 'unreadable', detail: 'A receipt without a message id or status' }
  }
  const meaning = isIntermediate(pdu) ? null : receiptMeaning(receipt, carrierCodes)
  if (!meaning) return { kind: 'intermediate', detail: receipt.state }
  const clue = () => clueOf(pdu, receipt, settings)
  return { kind: 'receipt', receipt: { link, of: { carrierIds }, clue, ...meaning } }
}

/** From the phone, to our number. */
function clueOf(
  { body }: DeliveryPdu,
  { submittedAt, doneAt, quoted: bodyStart, reference }: SmppReceipt,
  { messageReference }: SmppLinkSettings,
): ReceiptClue | null {
  const { sourceAddrTon, sourceAddrNpi, sourceAddr } = body
  const { destAddrTon, destAddrNpi, destinationAddr } = body
  const peer = numberOf({ ton: sourceAddrTon, npi: sourceAddrNpi, digits: sourceAddr })
  const number = numberOf({ ton: destAddrTon, npi: destAddrNpi, digits: destinationAddr })
  if (peer === '' || number === '') return null
  const facts = { number, peer, submittedAt, doneAt, bodyStart }
  return { ...facts, reference: messageReference ? reference : null }
}

/** The forms under which the ID of the response may be stored, as `answerId` writes them. */
function receiptIds(
  written: readonly string[],
  { answerIdForm, receiptIdForm }: SmppLinkSettings,
): string[] {
  if (written.length === 1 && receiptIdForm === 'auto') return idCandidates(written[0]!)
  const ids = written.flatMap((id) => {
    if (receiptIdForm === 'auto') return idCandidates(id)
    const normal = normalId(id, receiptIdForm)
    const isGuessed = answerIdForm === 'auto' && receiptIdForm !== 'as_written'
    return isGuessed ? [normal, ...idCandidates(normal)] : [normal]
  })
  return [...new Set(ids)]
}

/** The ID of a response, as stored. */
export function answerId(id: string, { answerIdForm }: SmppLinkSettings): string {
  return answerIdForm === 'auto' ? id.trim() : normalId(id, answerIdForm)
}

function inboundOf(
  pdu: DeliveryPdu,
  settings: SmppLinkSettings,
  connection: string,
): CarrierDelivery {
  const { text, part } = readMessage(pdu, settings.codings)
  const { body, tlvs } = pdu
  if (text === null) return { kind: 'unreadable', detail: `data_coding ${body.dataCoding}` }
  const { sourceAddrTon, sourceAddrNpi, sourceAddr } = body
  const { destAddrTon, destAddrNpi, destinationAddr } = body
  const id = readTlvText(tlvs, settings.inboundIdTag)
  const network = readNetwork(tlvs, settings.inboundNetwork)
  const inbound: Inbound = {
    link: settings.name,
    carrierId: id ?? fingerprint(pdu),
    ...(id === null && { connection }),
    from: numberOf({ ton: sourceAddrTon, npi: sourceAddrNpi, digits: sourceAddr }),
    to: numberOf({ ton: destAddrTon, npi: destAddrNpi, digits: destinationAddr }),
    // Databases accept no NUL, and phones show none.
    body: text.replaceAll('\0', ''),
    mediaUrls: [],
    part,
    ...(network !== undefined && { network }),
  }
  return { kind: 'inbound', inbound }
}

/** The same for a redelivered message: from its addresses, coding, bytes, and its place in a long message. */
function fingerprint(pdu: DeliveryPdu): string {
  const { sourceAddr, destinationAddr, dataCoding, esmClass } = pdu.body
  const hash = createHash('sha256')
  hash.update(`${sourceAddr}\0${destinationAddr}\0${dataCoding}\0${esmClass}\0`)
  for (const { tag, value } of pdu.tlvs) {
    if (SAR_TAGS.includes(tag)) hash.update(`${tag}\0`).update(value)
  }
  hash.update(messageBytes(pdu))
  return `~${hash.digest('base64url').slice(0, FINGERPRINT_CHARS)}`
}

const SAR_TAGS = [0x020c, 0x020e, 0x020f]

/** How many inbound messages with a pending redelivery are remembered. */
const REDELIVERIES_MAX = 10_000

/**
 * A carrier whose response is this late may have given up waiting and redelivered. Before that, the same text on the same
 * connection is a second message of the phone.
 */
const LATE_MS = 5_000

const AGAIN = { status: STATUS.ESME_RX_T_APPN.code }

/** Acknowledges a delivery only once it is stored, so the carrier repeats what is lost here. */
export class DeliveryTaker {
  readonly #settings: SmppLinkSettings
  readonly #log: Log
  readonly #metrics: LinkMetrics
  readonly #logged = new Set<DeliveryKind>()
  readonly #redeliveries = new Cache<string, number>({ max: REDELIVERIES_MAX })
  /** When the first of the attempts that are under way started, by connection and carrier ID. */
  readonly #underWay = new Map<string, number>()
  readonly #nowMs: () => number

  constructor(
    settings: SmppLinkSettings,
    log: Log,
    metrics: LinkMetrics,
    nowMs = () => performance.now(),
  ) {
    this.#settings = settings
    this.#log = log
    this.#metrics = metrics
    this.#nowMs = nowMs
  }

  /** Never rejects. */
  async take(bind: LinkBind, pdu: DeliveryPdu, listener: CarrierListener): Promise<void> {
    const delivery = this.#read(pdu, bind.connection)
    const isKept = await this.#keep(delivery, listener)
    this.#metrics.delivery(delivery.kind, isKept)
    bind.respond(pdu, isKept ? {} : AGAIN)
  }

  /** Bytes from outside: anything unexpected counts as unreadable, and is acknowledged. */
  #read(pdu: DeliveryPdu, connection: string): CarrierDelivery {
    try {
      return readDelivery(pdu, this.#settings, connection)
    } catch (error) {
      return { kind: 'unreadable', detail: (error as Error).message }
    }
  }

  async #keep(delivery: CarrierDelivery, listener: CarrierListener): Promise<boolean> {
    try {
      if (delivery.kind === 'receipt') await listener.receipt(delivery.receipt)
      else if (delivery.kind === 'inbound') await this.#keepInbound(delivery.inbound, listener)
      else if (delivery.kind !== 'intermediate') this.#logOnce(delivery.kind, delivery.detail)
      return true
    } catch (error) {
      const { name: link } = this.#settings
      this.#log.warn({ err: error, link }, 'what the carrier brought was not kept: it comes again')
      return false
    }
  }

  /**
   * If the database is lost while it writes, the message may be stored after all. The carrier redelivers it on the same
   * connection, just as it delivers a text that a phone sends twice. So a redelivery is passed on as from another
   * connection: one that we requested, or one that arrives while the first attempt has been under way for long.
   */
  async #keepInbound(inbound: Inbound, listener: CarrierListener): Promise<void> {
    const { connection, carrierId } = inbound
    if (connection === undefined) {
      await listener.inbound(inbound)
      return
    }
    const key = `${connection} ${carrierId}`
    const redeliveries = this.#redeliveries.peek(key) ?? 0
    const startedMs = this.#underWay.get(key)
    const isLate = startedMs !== undefined && this.#nowMs() - startedMs >= LATE_MS
    const attempt = isLate ? redeliveries + 1 : redeliveries
    if (startedMs === undefined) this.#underWay.set(key, this.#nowMs())
    try {
      await listener.inbound(
        attempt === 0 ? inbound : { ...inbound, connection: `${connection} ${attempt}` },
      )
    } catch (error) {
      this.#redeliveries.set(key, Math.max(attempt, this.#redeliveries.peek(key) ?? 0) + 1)
      throw error
    } finally {
      if (startedMs === undefined) this.#underWay.delete(key)
    }
  }

  /** A carrier may send thousands of them. The counter has their number. */
  #logOnce(kind: 'unreadable' | 'acknowledgement', detail: string): void {
    if (this.#logged.has(kind)) return
    this.#logged.add(kind)
    const { name: link } = this.#settings
    this.#log.warn({ link, kind, detail }, 'the carrier sends what is no message; logged once')
  }
}
