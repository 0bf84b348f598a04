// Takes what a carrier brings and answers for it: only when it is kept, so that what is lost here comes again.

import type { Log } from '../../kit/log.js'
import type { CarrierListener } from '../../messages/carrier-port.js'
import { STATUS } from '../../smpp/pdu/status.js'
import type { LinkBind } from './link-bind.js'
import type { DeliveryKind, LinkMetrics } from './link-metrics.js'
import { type Delivery, type DeliveryPdu, readDelivery } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'

const AGAIN = { status: STATUS.ESME_RX_T_APPN.code }

export class DeliveryTaker {
  readonly #settings: SmppLinkSettings
  readonly #log: Log
  readonly #metrics: LinkMetrics
  readonly #logged = new Set<DeliveryKind>()

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
      else if (delivery.kind === 'inbound') await listener.inbound(delivery.inbound)
      else if (delivery.kind !== 'intermediate') this.#logOnce(delivery.kind, delivery.detail)
      return true
    } catch (error) {
      const { name: link } = this.#settings
      this.#log.warn({ err: error, link }, 'what the carrier brought was not kept: it comes again')
      return false
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
