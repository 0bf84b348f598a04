// A link to a carrier over SMPP: its binds, outbound messages, inbound messages and receipts, and its state. Every
// message is settled within the time its sender waits, whatever the carrier does.

import type { Clock } from '../../kit/clock.js'
import type { Log } from '../../kit/log.js'
import type { Metrics } from '../../kit/metrics.js'
import type { Database } from '../../kit/postgres/db.js'
import { type RunningLoop, startLoop } from '../../kit/worker-loop.js'
import type { Carrier, CarrierListener, LinkStatus } from '../../messages/carrier-port.js'
import type { BindName } from '../../smpp/session/session-event.js'
import { type LinkShare, openShare } from '../link-shares.js'
import { countReceipts } from './compose-submits.js'
import { type BindDeps, type BindEvent, LinkBind } from './link-bind.js'
import { LinkMetrics, LinkTrace } from './link-metrics.js'
import { MessageSender } from './message-sender.js'
import { type DeliveryPdu, DeliveryTaker } from './read-delivery.js'
import { type SenderLimits, type SmppLinkSettings, USUAL_LIMITS } from './smpp-settings.js'

export interface SmppLinkDeps {
  clock: Clock
  log: Log
  metrics: Metrics
  /** Used if processes share the link's rate. */
  db?: Database
  limits?: SenderLimits
}

export interface SmppLink extends Carrier {
  /** From now on, writes the link's traffic to this file. Null: to none. */
  traceTo: (file: string | null, maxBytes: number) => Promise<void>
}

/** Also if it is wrapped. */
export function isSmppLink(carrier: Carrier): carrier is SmppLink {
  return 'traceTo' in carrier
}

/** The time limits for pending messages when the link stops, and then for unbinding. */
const DRAIN_MAX_MS = 10_000
const GOODBYE_MAX_MS = 5_000

export function createSmppLink(settings: SmppLinkSettings, deps: SmppLinkDeps): SmppLink {
  const link = new LinkMachine(settings, deps)
  return {
    name: settings.name,
    networkOf: () => null,
    isUp: () => link.isUp,
    submit: (submissions) => link.sender.submit(submissions),
    // One window in progress, and one ready to follow.
    capacityOf: () => 2 * settings.window * settings.binds,
    afterUnknown: () => ({ waitMs: settings.settleSeconds * 1_000, ...settings.unknown }),
    receiptsOf: (_, body) => countReceipts(body, settings),
    links: () => [link.status()],
    start: (listener) => link.start(listener),
    stop: () => link.stop(),
    traceTo: (file, maxBytes) => link.traceTo(file, maxBytes),
  }
}

class LinkMachine {
  readonly sender: MessageSender
  readonly #settings: SmppLinkSettings
  readonly #log: Log
  readonly #clock: Clock
  readonly #metrics: LinkMetrics
  readonly #trace: LinkTrace
  readonly #deliveries: DeliveryTaker
  readonly #binds: readonly LinkBind[]
  readonly #share: LinkShare | null
  #renewing: RunningLoop | null = null
  #listener: CarrierListener | null = null
  #isUp = false
  #isStopping = false
  #since: Date

  constructor(settings: SmppLinkSettings, deps: SmppLinkDeps) {
    const { clock, log, metrics, limits = USUAL_LIMITS } = deps
    this.#settings = settings
    this.#log = log
    this.#clock = clock
    this.#since = clock.now()
    this.#metrics = new LinkMetrics(metrics, settings.name)
    this.#trace = new LinkTrace({ log, clock })
    this.#deliveries = new DeliveryTaker(settings, log, this.#metrics)
    this.#binds = this.#makeBinds({ clock, log, metrics: this.#metrics, trace: this.#trace })
    this.sender = new MessageSender(settings, this.#binds, {
      clock,
      metrics: this.#metrics,
      limits,
      onLate: (late) => {
        this.#listener?.lateAnswer(late).catch((error) => {
          log.error({ err: error, messageId: late.id }, 'a late answer was not kept')
        })
      },
    })
    this.#share = openShare(deps, { ...settings, link: settings.name }, this.sender.rate)
  }

  get isUp(): boolean {
    return this.sender.isUp
  }

  async start(listener: CarrierListener): Promise<void> {
    this.#listener = listener
    this.#isStopping = false
    const { traceFile, traceMaxBytes } = this.#settings
    await this.#trace.switchTo(traceFile, traceMaxBytes)
    this.#renewing = this.#share && startLoop(this.#share.loop)
    for (const bind of this.#binds) bind.start()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.sender.stop(DRAIN_MAX_MS)
    const timer = setTimeout(() => {
      for (const bind of this.#binds) bind.destroy()
    }, GOODBYE_MAX_MS)
    await Promise.all(this.#binds.map((bind) => bind.stop()))
    clearTimeout(timer)
    await this.#renewing?.stop()
    this.#share?.release()
    await this.#trace.switchTo(null, 0)
  }

  async traceTo(file: string | null, maxBytes: number): Promise<void> {
    await this.#trace.switchTo(file, maxBytes)
    for (const bind of this.#binds) bind.retrace()
  }

  status(): LinkStatus {
    const senders = this.#binds.filter((bind) => bind.isReady)
    const used = senders.reduce((sum, bind) => sum + bind.inFlight, 0)
    return {
      link: this.#settings.name,
      kind: 'smpp',
      isUp: this.isUp,
      since: this.#since,
      detail: this.#detail(),
      connections: this.#binds.map(({ name, state, since, peer }) => ({
        name,
        state,
        since,
        peer,
      })),
      window: { used, size: senders.length * this.#settings.window },
      rate: this.sender.rate.status(),
    }
  }

  #detail(): string | null {
    const failing = this.#binds.find((bind) => bind.detail !== null)
    if (failing) return `${failing.name}: ${failing.detail}`
    const rate = this.sender.rate.status()
    if (!rate || rate.perSecond >= rate.contract) return null
    return `Throttled: the carrier asked us to slow down (now ${Math.round(rate.perSecond)} per second)`
  }

  #makeBinds(deps: BindDeps): LinkBind[] {
    const { bindMode, binds } = this.#settings
    const owner = {
      happened: (bind: LinkBind, sessionEvent: BindEvent) => this.#happened(bind, sessionEvent),
      changed: (bind: LinkBind) => this.#changed(bind),
      freed: () => this.sender.planPump(),
    }
    const names: BindName[] =
      bindMode === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver']
    return Array.from({ length: binds }, (_, i) =>
      names.map((as) => {
        const name = `${as.slice('bind_'.length)} ${i + 1}`
        return new LinkBind(name, as, this.#settings, deps, owner)
      }),
    ).flat()
  }

  #happened(bind: LinkBind, sessionEvent: BindEvent): void {
    switch (sessionEvent.kind) {
      case 'outcome':
        this.sender.settle(bind, sessionEvent.token, sessionEvent.outcome)
        return
      case 'late_answer':
        this.sender.settleLate(bind, sessionEvent.token, sessionEvent.pdu)
        return
      case 'request':
        // A session accepts no other requests from a carrier.
        void this.#deliveries.take(bind, sessionEvent.pdu as DeliveryPdu, this.#listener!)
        return
      case 'stray_answer':
        this.#metrics.oddity('stray_answer')
        return
      case 'problem': {
        const { name: link } = this.#settings
        this.#metrics.oddity('broken_pdu')
        this.#log.warn({ link, detail: sessionEvent.problem.detail }, 'a PDU cannot be read')
        return
      }
      case 'notice':
        this.#metrics.oddity(sessionEvent.pdu.command)
    }
  }

  #changed(bind: LinkBind): void {
    this.sender.bindChanged(bind)
    if (this.isUp === this.#isUp) return
    this.#isUp = this.isUp
    this.#since = this.#clock.now()
    const { name: link } = this.#settings
    if (this.#isUp) this.#log.info({ link }, 'carrier link is up')
    else if (!this.#isStopping) this.#log.warn({ link }, 'carrier link is down')
  }
}
