// Takes what a carrier brings and answers for it: only when it is kept, so that what is lost here comes again.

import { Cache } from '../../kit/cache.js'
import type { Log } from '../../kit/log.js'
import type { CarrierListener, Inbound } from '../../messages/carrier-port.js'
import { STATUS } from '../../smpp/pdu/status.js'
import type { LinkBind } from './link-bind.js'
import type { DeliveryKind, LinkMetrics } from './link-metrics.js'
import { type Delivery, type DeliveryPdu, readDelivery } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'

/** Messages of phones that were asked for again, of which so many are remembered. */
const ASKED_AGAIN_MAX = 10_000

const AGAIN = { status: STATUS.ESME_RX_T_APPN.code }

export class DeliveryTaker {
  readonly #settings: SmppLinkSettings
  readonly #log: Log
  readonly #metrics: LinkMetrics
  readonly #logged = new Set<DeliveryKind>()
  readonly #askedAgain = new Cache<string, number>({ max: ASKED_AGAIN_MAX })

  constructor(settings: SmppLinkSettings, log: Log, metrics: LinkMetrics) {
    this.#settings = settings
    this.#log = log
    this.#metrics = metrics
  }

  /** Never rejects. */
  async take(bind: LinkBind, pdu: DeliveryPdu, listener: CarrierListener): Promise<void> {
    const delivery = this.#read(pdu, bind.connection)
    const isKept = await this.#keep(delivery, listener)
    this.#metrics.delivery(delivery.kind, isKept)
    bind.respond(pdu, isKept ? {} : AGAIN)
  }

  /** Octets from outside: what nobody thought of is unreadable, and brought once. */
  #read(pdu: DeliveryPdu, connection: string): Delivery {
    try {
      return readDelivery(pdu, this.#settings, connection)
    } catch (error) {
      return { kind: 'unreadable', detail: (error as Error).message }
    }
  }

  async #keep(delivery: Delivery, listener: CarrierListener): Promise<boolean> {
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

  // Where the database was lost while it wrote, it may be kept after all. Asked for again it comes by the same
  // connection, as what a phone says twice does: the attempt is part of the name, so that it is known for a repeat.
  async #keepInbound(inbound: Inbound, listener: CarrierListener): Promise<void> {
    const { connection, carrierId } = inbound
    const key = `${connection} ${carrierId}`
    const asked = connection === undefined ? 0 : (this.#askedAgain.peek(key) ?? 0)
    try {
      await listener.inbound(
        asked === 0 ? inbound : { ...inbound, connection: `${connection} ${asked}` },
      )
    } catch (error) {
      if (connection !== undefined) this.#askedAgain.set(key, asked + 1)
      throw error
    }
  }

  /** A carrier may send thousands of them; the counter has their number. */
  #logOnce(kind: 'unreadable' | 'acknowledgement', detail: string): void {
    if (this.#logged.has(kind)) return
    this.#logged.add(kind)
    const { name: link } = this.#settings
    this.#log.warn({ link, kind, detail }, 'the carrier sends what is no message; logged once')
  }
}
